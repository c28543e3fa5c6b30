package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.programs.Svg;
import java.util.List;
import java.util.stream.Stream;

/** An SVG drawing of a terminal that shows the story. */
final class StoryPicture {

    private static final int MARGIN = 18;
    private static final int LINE = 19;
    private static final int WIDTH = 720;

    /** The width of a character. */
    private static final double CHARACTER = 8.1;

    private static final String STYLE = """
            text { font: 13.5px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
            rect { fill: #f6f8fa; stroke: #d0d7de; rx: 8px; }
            .heading { font-weight: 600; }
            .bad { fill: #b3261e; }
            .good { fill: #1a7f37; }
            @media (prefers-color-scheme: dark) {
              rect { fill: #161b22; stroke: #3d444d; }
              .bad { fill: #ff7b72; }
              .good { fill: #56d364; }
            }
            """;

    private StoryPicture() {}

    static String of(String command, String printed) {
        List<String> lines =
                Stream.concat(Stream.of("$ " + command, "…"), printed.lines()).toList();
        Svg svg = new Svg("A run of the example: " + lines.get(lines.size() - 1), STYLE);
        int height = 2 * MARGIN + LINE * lines.size();
        svg.rectangle("", 0.5, 0.5, WIDTH - 1, height - 1);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            String text = line.stripLeading();
            if (!text.isEmpty()) {
                double x = MARGIN + CHARACTER * (line.length() - text.length());
                // Viewers would collapse several spaces into one.
                svg.text(kind(line), x, MARGIN + LINE * (i + 0.75), "start", text.replace(' ', '\u00a0'));
            }
        }
        return svg.drawing(WIDTH, height);
    }

    private static String kind(String line) {
        if (line.matches("\\$.*|\\d\\..*|Result.*")) {
            return "heading";
        }
        if (line.matches(".*surplus groups +0|.* Succeeded")) {
            return "good";
        }
        return line.matches(".*surplus groups +\\d+|.* Pending") ? "bad" : "";
    }
}
