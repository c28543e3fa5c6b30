package io.counterpoint.idempotency.programs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

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
    void elementsOfAnArrayStandOnLinesOfTheirOwn() {
        ObjectNode object = Json.object().put("seed", 7);
        object.putArray("modes")
                .add(Json.of(1))
                .add(Json.object().put("a", "b\n").put("c", true));
        assertThat(Json.byElement(object))
                .isEqualTo("{\"seed\": 7, \"modes\": [\n  1,\n  {\"a\": \"b\\n\", \"c\": true}\n]}");
        assertThat(Json.parse(Json.byElement(object))).isEqualTo(Json.parse(Json.indented(object)));
    }

    @Test
    void textThatIsNoJsonIsRefused() {
        assertThatThrownBy(() -> Json.parse("{")).isInstanceOf(IllegalArgumentException.class);
    }
}
