package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The threat model names tests that are there. */
class ThreatModelTest {

    private static final Path ROOT = Path.of("../..");
    private static final Pattern TEST = Pattern.compile("`([A-Z][A-Za-z]+Test)(?:\\.([a-z][A-Za-z0-9]+))?`");

    @Test
    void everyTestThatThePageNamesIsThere() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/proof/threat-model.md"));
        List<String> tests = sources();
        int named = 0;
        for (Matcher matcher = TEST.matcher(page); matcher.find(); named++) {
            String type = matcher.group(1);
            String method = matcher.group(2);
            assertThat(tests.stream()
                            .filter(source -> source.contains("class " + type + " ")
                                    && (method == null || source.contains(" " + method + "("))))
                    .as(matcher.group())
                    .isNotEmpty();
        }
        assertThat(named).isGreaterThan(20);
        assertThat(Files.readString(ROOT.resolve("SECURITY.md"))).contains("docs/proof/threat-model.md");
    }

    private static List<String> sources() throws IOException {
        return SourceTree.files(ROOT).stream()
                .filter(file -> file.toString().contains("src/test/java")
                        && file.toString().endsWith("Test.java"))
                .map(ThreatModelTest::read)
                .toList();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
