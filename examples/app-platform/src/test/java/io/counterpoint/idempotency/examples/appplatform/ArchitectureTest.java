package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The code to copy does not depend on the rest of the example, and every file stays short. */
class ArchitectureTest {

    private static final Path SOURCES = Path.of("src/main/java/io/counterpoint/idempotency/examples/appplatform");
    private static final Path USE_CASES = SOURCES.resolve("usecase");
    private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?([\\w.]+);");

    /** The library, Java and Jdbi: everything that the code to copy may depend on. */
    private static final Pattern OF_A_READER = Pattern.compile(
            "java\\..*|org\\.jdbi\\..*|org\\.jspecify\\..*|io\\.counterpoint\\.idempotency\\.(?!examples|testing|programs).*"
                    + "|io\\.counterpoint\\.idempotency\\.examples\\.appplatform\\.usecase\\..*");

    @Test
    void useCasesNeedOnlyWhatAReaderHas() throws IOException {
        for (Path file : javaFiles(USE_CASES)) {
            String code = Files.readString(file);
            assertThat(IMPORT.matcher(code).results().map(found -> found.group(1)))
                    .as(file.toString())
                    .allMatch(name -> OF_A_READER.matcher(name).matches(), "is what a reader has, too");
            assertThat(code.replaceAll("(?m)^(import|package) .*", ""))
                    .as("a qualified name in %s", file)
                    .doesNotContain("io.counterpoint");
        }
    }

    @Test
    void useCasesAreFiveClasses() throws IOException {
        assertThat(javaFiles(USE_CASES).stream().filter(ArchitectureTest::declaresPolicy))
                .extracting(file -> file.getFileName().toString())
                .containsExactlyInAnyOrder(
                        "CreateApp.java",
                        "PublishApp.java",
                        "ProvisionDatabase.java",
                        "TriggerExecution.java",
                        "ChargePayment.java");
    }

    private static boolean declaresPolicy(Path file) {
        try {
            return Files.readString(file).contains("public static final Policy POLICY");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Path> javaFiles(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            List<Path> found =
                    files.filter(file -> file.toString().endsWith(".java")).toList();
            assertThat(found).as("the test looks at the right folder").isNotEmpty();
            return found;
        }
    }
}
