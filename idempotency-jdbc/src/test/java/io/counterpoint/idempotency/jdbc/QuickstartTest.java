package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.jdbc.quickstart.Quickstart;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The README shows the middle of this package's {@code Quickstart}, to the letter, and says what it prints. */
class QuickstartTest {

    private static final Path SOURCE =
            Path.of("src/test/java/io/counterpoint/idempotency/jdbc/quickstart/Quickstart.java");

    @Test
    void readmeShowsTheQuickstartThatIsCompiledHere() throws Exception {
        String source = Files.readString(SOURCE);
        String shown = source.substring(source.indexOf("// begin\n") + "// begin\n".length(), source.indexOf("// end"))
                .stripIndent();
        assertThat(Files.readString(Path.of("../README.md"))).contains("```java\n" + shown.stripTrailing() + "\n```");
        assertThat(shown.lines().filter(line -> !line.isBlank()).count()).isLessThanOrEqualTo(8);
    }

    @Test
    void quickstartExecutesOnceAndReplaysTheSameResult() {
        PrintStream console = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            Quickstart.main(new String[0]);
        } finally {
            System.setOut(console);
        }
        List<String> lines = printed.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines)
                .extracting(line -> line.substring(0, line.indexOf('[')))
                .containsExactly("Executed", "Replayed", "Replayed");
        assertThat(lines)
                .extracting(line -> line.substring(line.indexOf("->")))
                .containsOnly(lines.get(0).substring(lines.get(0).indexOf("->")));
    }
}
