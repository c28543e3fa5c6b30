package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An application of modules, which names this library's module alone, in a Java machine of its own. */
@Tag("thorough")
@Timeout(120)
class ModulePathTest {

    /** What such an application has on its module path, and no driver of PostgreSQL. */
    private static final List<String> PATH = List.of("idempotency-jdbc", "idempotency-core", "jspecify", "/h2-");

    /** What one has too that uses handles. Jdbi is an automatic module, which cannot say that it needs two others. */
    private static final List<String> OF_JDBI = List.of("jdbi3-core", "geantyref", "slf4j-api");

    private static final List<String> MODULES_OF_JDBI =
            List.of("org.jdbi.v3.core", "io.leangen.geantyref", "org.slf4j");

    private static final String WITH_CONNECTIONS = """
            package application;

            import io.counterpoint.idempotency.Attempt;
            import io.counterpoint.idempotency.Idempotency;
            import io.counterpoint.idempotency.Operation;
            import io.counterpoint.idempotency.ResultCodec;
            import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
            import java.sql.Connection;
            import org.h2.jdbcx.JdbcDataSource;

            public class Application {
                public static void main(String[] arguments) throws Exception {
                    JdbcDataSource source = new JdbcDataSource();
                    source.setURL("jdbc:h2:mem:application;DB_CLOSE_DELAY=-1");
                    try (Connection connection = source.getConnection()) {
                        connection.createStatement().execute("CREATE TABLE effect (id int)");
                    }
                    Operation<Connection, String> operation = Idempotency.on(
                                    JdbcIdempotencyStore.on(source).createTableIfMissing())
                            .operation("operate", ResultCodec.string())
                            .build();
                    for (int i = 0; i < 2; i++) {
                        System.out.println(operation.execute(
                                        Attempt.inScope("user:1").key("key").request("request"),
                                        connection -> "effects: "
                                                + connection.createStatement().executeUpdate("INSERT INTO effect VALUES (1)"))
                                .getClass().getSimpleName());
                    }
                    System.out.println(Application.class.getModule().getName());
                }
            }
            """;

    private static final String WITH_HANDLES = """
            package application;

            import io.counterpoint.idempotency.Attempt;
            import io.counterpoint.idempotency.Idempotency;
            import io.counterpoint.idempotency.Operation;
            import io.counterpoint.idempotency.ResultCodec;
            import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
            import org.jdbi.v3.core.Handle;
            import org.jdbi.v3.core.Jdbi;

            public class Application {
                public static void main(String[] arguments) {
                    Jdbi jdbi = Jdbi.create("jdbc:h2:mem:application;DB_CLOSE_DELAY=-1");
                    jdbi.useHandle(handle -> handle.execute("CREATE TABLE effect (id int)"));
                    Operation<Handle, String> operation = Idempotency.on(
                                    JdbiIdempotencyStore.on(jdbi).createTableIfMissing())
                            .operation("operate", ResultCodec.string())
                            .build();
                    for (int i = 0; i < 2; i++) {
                        System.out.println(operation.execute(
                                        Attempt.inScope("user:1").key("key").request("request"),
                                        handle -> "effects: " + handle.execute("INSERT INTO effect VALUES (1)"))
                                .getClass().getSimpleName());
                    }
                    System.out.println(Application.class.getModule().getName());
                }
            }
            """;

    @Test
    void applicationOfConnectionsNeedsThisModuleAndNoJdbi(@TempDir Path folder) throws Exception {
        assertRuns(WITH_CONNECTIONS, List.of("com.h2database", "java.naming"), PATH, folder);
    }

    @Test
    void applicationOfHandlesNeedsTheModulesOfJdbiToo(@TempDir Path folder) throws Exception {
        assertRuns(
                WITH_HANDLES,
                MODULES_OF_JDBI,
                Stream.concat(PATH.stream(), OF_JDBI.stream()).toList(),
                folder);
    }

    private static void assertRuns(String application, List<String> modules, List<String> jars, Path folder)
            throws Exception {
        Files.createDirectories(folder.resolve("source/application"));
        Files.writeString(
                folder.resolve("source/module-info.java"),
                Stream.concat(Stream.of("io.counterpoint.idempotency.jdbc"), modules.stream())
                        .map(module -> "requires " + module + ";")
                        .collect(Collectors.joining(" ", "module application { ", " }")));
        Files.writeString(folder.resolve("source/application/Application.java"), application);
        String path = modulePath(jars);
        assertThat(run(
                        "javac",
                        "--module-path",
                        path,
                        "-d",
                        folder.resolve("classes").toString(),
                        folder.resolve("source/module-info.java").toString(),
                        folder.resolve("source/application/Application.java").toString()))
                .noneMatch(line -> line.contains("error"));
        assertThat(run(
                        "java",
                        "--module-path",
                        folder.resolve("classes") + File.pathSeparator + path,
                        "--module",
                        "application/application.Application"))
                .contains("Executed", "Replayed", "application");
    }

    private static String modulePath(List<String> jars) {
        String path = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !entry.endsWith("test-classes")
                        && jars.stream().anyMatch(entry.replace(File.separatorChar, '/')::contains))
                .collect(Collectors.joining(File.pathSeparator));
        assertThat(path.split(File.pathSeparator, -1)).hasSize(jars.size());
        return path;
    }

    private static List<String> run(String tool, String... arguments) throws IOException, InterruptedException {
        String[] command = Stream.concat(
                        Stream.of(Path.of(System.getProperty("java.home"), "bin", tool)
                                .toString()),
                        Arrays.stream(arguments))
                .toArray(String[]::new);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as("%s", lines).isZero();
            return lines;
        } finally {
            process.destroyForcibly();
        }
    }
}
