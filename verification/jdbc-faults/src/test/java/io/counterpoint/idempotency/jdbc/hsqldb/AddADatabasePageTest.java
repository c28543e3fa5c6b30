package io.counterpoint.idempotency.jdbc.hsqldb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.testing.PageProject;
import io.counterpoint.idempotency.testing.SourceTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/add-a-database.md says what there is, and its templates use what is published. */
class AddADatabasePageTest {

    private static final Path PAGE = Path.of("../../docs/add-a-database.md");
    private static final Path TEMPLATE = Path.of("src/test/java/io/counterpoint/idempotency/jdbc/hsqldb");
    private static final Path PLAIN =
            Path.of("../../extensions/idempotency-jdbc-testkit/src/test/java/io/counterpoint/idempotency/jdbc/plain");
    private static final Pattern OURS = Pattern.compile("import (?:static )?(io\\.counterpoint\\.[a-z0-9.]*)\\.[A-Z]");

    /** The page's commands, in an empty folder, each time followed by the compiler. The second ones replace the dialect. */
    @Test
    void copiesOfTheTemplatesUnderAnotherNameCompile(@TempDir Path folder) throws Exception {
        List<String> commands = commands();
        assertThat(commands).hasSize(2);
        for (String command : commands) {
            copy(folder, command);
            Path classes = compile(folder, Files.createTempDirectory(folder, "classes"));
            assertThat(classes.resolve("acme"))
                    .isDirectoryContaining("glob:**/AcmeDialect.class")
                    .isDirectoryContaining("glob:**/AcmeDialectTest.class");
            assertThat(folder.resolve("src/main/resources/acme/acme.sql")).isRegularFile();
        }
        assertThat(folder.resolve("src/main/java/acme")).isDirectoryNotContaining("glob:**/AcmeErrors.java");
    }

    /** The page has no other code in Java. */
    @Test
    void programOfThePagePrintsWhatItShowsInACopyOfTheTemplate(@TempDir Path folder) throws Exception {
        copy(folder, commands().get(0));
        compile(folder, folder.resolve("classes"));
        Process run = PageProject.of(PAGE, folder, entry -> true).start("acme.FirstCall");
        String printed = new String(run.getInputStream().readAllBytes(), UTF_8);

        assertThat(PAGE).content(UTF_8).containsOnlyOnce("```java\n").contains("\n```\n" + printed + "```\n");
    }

    private static List<String> commands() throws IOException {
        return Pattern.compile("(?s)```sh\n(from=.*?)```")
                .matcher(Files.readString(PAGE))
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    private static void copy(Path folder, String command) throws Exception {
        ProcessBuilder copy = new ProcessBuilder("bash", "-euc", command).directory(folder.toFile());
        copy.environment()
                .put("clone", Path.of("../..").toAbsolutePath().normalize().toString());
        assertThat(copy.inheritIO().start().waitFor()).isZero();
    }

    private static Path compile(Path folder, Path classes) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("-proc:none", "-d", classes.toString(), "-cp"));
        arguments.add(System.getProperty("java.class.path"));
        for (Path source : SourceTree.files(folder.resolve("src"))) {
            if (source.toString().endsWith(".java")) {
                arguments.add(source.toString());
            }
        }
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        int result = ToolProvider.getSystemJavaCompiler().run(null, null, errors, arguments.toArray(String[]::new));
        assertThat(result).as(errors.toString(UTF_8)).isZero();
        return classes;
    }

    @Test
    void everyMethodOfADialectIsOnThePage() throws IOException {
        String page = Files.readString(PAGE);
        assertThat(Arrays.stream(Dialect.class.getMethods()).map(Method::getName))
                .allSatisfy(method -> assertThat(page).containsPattern("`(Dialect\\.)?" + method + "`"));
    }

    @Test
    void templatesUseOnlyWhatIsPublished() throws IOException {
        for (Path file : List.of(
                TEMPLATE.resolve("HsqldbDialect.java"),
                TEMPLATE.resolve("HsqldbErrors.java"),
                PLAIN.resolve("PlainPostgreSqlDialect.java"))) {
            Stream<String> packages = OURS.matcher(Files.readString(file))
                    .results()
                    .map(MatchResult::group)
                    .map(found -> found.replaceAll("import (static )?|\\.[A-Z]$", ""));
            assertThat(packages)
                    .isSubsetOf(
                            "io.counterpoint.idempotency",
                            "io.counterpoint.idempotency.spi",
                            "io.counterpoint.idempotency.jdbc",
                            "io.counterpoint.idempotency.jdbc.spi");
        }
    }
}
