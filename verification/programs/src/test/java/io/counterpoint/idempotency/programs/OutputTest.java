package io.counterpoint.idempotency.programs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.programs.BarChart.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What programs print and write. */
class OutputTest {

    @Test
    void numbersStandToTheRightAndTextToTheLeft() {
        assertThat(new TextTable()
                        .row("what", "count")
                        .row("calls", 1_234)
                        .row("keys", 5, "few")
                        .text())
                .isEqualTo("what   count\ncalls  1,234\nkeys       5  few\n");
    }

    @Test
    void sectionOfAPageHasEmptyLinesBetweenItsParts() {
        Markdown section = new Markdown()
                .heading(2, "Calls")
                .paragraph("In %,d s:", 1_000)
                .table(new TextTable().row("what", "count").row("calls", 1_234))
                .list(List.of())
                .list(List.of("one", "two"));
        assertThat(section.text()).isEqualTo("""
                ## Calls

                In 1,000 s:

                | what | count |
                |---|---:|
                | calls | 1,234 |

                - one
                - two
                """);
    }

    @Test
    void generatedPartLeavesTheRestOfThePage(@TempDir Path folder) throws IOException {
        GeneratedPart between = new GeneratedPart("<begin>", "<end>");
        GeneratedPart toTheEnd = new GeneratedPart("<begin>", "");
        String marked = "# Title\n\n<begin>\n\nnew\n\n<end>\n";
        assertThat(between.within("# Title\n", "new\n")).isEqualTo(marked);
        assertThat(between.within("# Title\n\n<begin>\nold\n<end>\n\nAfter.\n", "new"))
                .isEqualTo(marked + "\nAfter.\n");
        assertThat(toTheEnd.within("# Title\n\n<begin>\nold\n", "new")).isEqualTo("# Title\n\n<begin>\n\nnew\n");
        Path page = folder.resolve("page.md");
        toTheEnd.write(page, "one");
        toTheEnd.write(page, "other");
        assertThat(page).hasContent("<begin>\n\nother\n");
    }

    @Test
    void barsHaveNamesAndTheirKindsALegend() {
        Kind ours = new Kind("ours", "#111111", "#222222", "this library");
        Kind others = new Kind("others", "#333333", "#444444", "other libraries");
        BarChart chart = new BarChart("Chart", List.of(ours, others), 100, 200, 40);
        chart.heading("Heading");
        Map<Kind, Double> parts = new LinkedHashMap<>();
        parts.put(others, 0.5);
        parts.put(ours, 0.25);
        chart.bar("both", parts);
        chart.bar("one", ours, 0.5, 0.25, 1, "0.50");
        assertThat(chart.drawing())
                .contains("viewBox=\"0 0 348 138\"", ".ours { fill: #111111; }", ">Heading<", ">both<", ">0.50<")
                .contains("<rect class=\"others\" x=\"100.0\" y=\"46.0\" width=\"100.0\"")
                .contains("<rect class=\"ours\" x=\"200.0\" y=\"46.0\" width=\"50.0\"")
                .contains("<line class=\"whisker\" x1=\"150.0\" y1=\"84.0\" x2=\"300.0\"")
                .contains(">this library<", ">other libraries<");
    }

    @Test
    void progressIsQuietForAWhileAfterALine() {
        AtomicLong now = new AtomicLong(-1);
        long twoSeconds = 2_000_000_000;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        ProgressLines lines = ProgressLines.atOnce(new PrintStream(printed, true, UTF_8), now::get);
        ByteArrayOutputStream later = new ByteArrayOutputStream();
        ProgressLines afterwards = ProgressLines.afterAWhile(new PrintStream(later, true, UTF_8), now::get);
        lines.say(() -> "first");
        now.addAndGet(twoSeconds - 1);
        lines.say(() -> "too early");
        afterwards.say(() -> "too early");
        now.addAndGet(1);
        lines.say(() -> "second");
        afterwards.say(() -> "first");
        assertThat(printed.toString(UTF_8).lines()).containsExactly("    0 s  first", "    2 s  second");
        assertThat(later.toString(UTF_8).lines()).containsExactly("    2 s  first");
    }

    @Test
    void drawingIsXmlWithItsTextEscaped() {
        Svg svg = new Svg("a & b", ".soft{fill:#59636e}");
        svg.text("soft", 1, 2, "end", "x < y");
        svg.line("", 0, 0, 10, 5);
        assertThat(svg.drawing(20, 10))
                .startsWith("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 20 10\"")
                .contains(
                        "<title>a &amp; b</title>",
                        "<text class=\"soft\" x=\"1.0\" y=\"2.0\" text-anchor=\"end\">x &lt; y</text>",
                        "<line x1=\"0.0\" y1=\"0.0\" x2=\"10.0\" y2=\"5.0\"/>")
                .endsWith("</svg>\n");
    }

    @Test
    void textThatIsNoJsonIsRefused() {
        assertThatThrownBy(() -> Json.parse("{")).isInstanceOf(IllegalArgumentException.class);
    }
}
