package io.counterpoint.idempotency.programs;

import java.util.List;
import java.util.Map;

/** A chart with one named bar per row. Narrow enough for a phone, and readable on light and dark backgrounds. */
public final class BarChart {

    private static final int MARGIN = 8;
    private static final int ROW = 28;
    private static final int HEADING = 38;

    private static final String STYLE = """
            text { font-size: 15px; }
            .heading { font-weight: 600; }
            .whisker { stroke: #1f2328; stroke-width: 1.5; }
            @media (prefers-color-scheme: dark) { .whisker { stroke: #e6edf3; } }
            """;

    private final List<Kind> kinds;
    private final Svg svg;
    private final double left;
    private final double longest;
    private final double width;
    private double y = MARGIN;

    /**
     * Creates a chart without bars.
     *
     * @param title the title for screen readers
     * @param kinds the kinds of parts, in the order of the legend
     * @param names the width of the names
     * @param longest the width of a bar of size 1
     * @param numbers the width of the column on the right; 0 for none
     */
    public BarChart(String title, List<Kind> kinds, int names, int longest, int numbers) {
        StringBuilder style = new StringBuilder(STYLE);
        kinds.forEach(kind -> style.append(kind.style()));
        this.kinds = List.copyOf(kinds);
        this.svg = new Svg(title, style.toString());
        this.left = names;
        this.longest = longest;
        this.width = names + longest + numbers + MARGIN;
    }

    /**
     * The meaning of a part of a bar.
     *
     * @param name its class
     * @param light its colour on a light background, such as {@code #2f74c0}
     * @param dark its colour on a dark background
     * @param meaning its text in the legend
     */
    public record Kind(String name, String light, String dark, String meaning) {

        private String style() {
            return ".%1$s { fill: %2$s; }%n@media (prefers-color-scheme: dark) { .%1$s { fill: %3$s; } }%n"
                    .formatted(name, light, dark);
        }
    }

    /** Adds a heading above the next bars. */
    public void heading(String text) {
        y += HEADING;
        svg.text("heading", MARGIN, y - 12, "start", text);
    }

    /** Adds a stacked bar, with the sizes of its parts. */
    public void bar(String name, Map<Kind, Double> parts) {
        svg.text("", left - MARGIN, y + 15, "end", name);
        double x = left;
        for (Map.Entry<Kind, Double> part : parts.entrySet()) {
            double size = part.getValue() * longest;
            svg.rectangle(part.getKey().name, x, y, size, ROW - MARGIN);
            x += size;
        }
        y += ROW;
    }

    /** Adds a bar with a whisker between two sizes, and a number on the right. */
    public void bar(String name, Kind kind, double size, double from, double to, String number) {
        bar(name, Map.of(kind, size));
        double middle = y - ROW + (ROW - MARGIN) / 2.0;
        if (from < to) {
            svg.line("whisker", left + from * longest, middle, left + to * longest, middle);
        }
        svg.text("", width - MARGIN, middle + 5, "end", number);
    }

    /** Returns the chart, with a legend in two columns. */
    public String drawing() {
        for (int i = 0; i < kinds.size(); i++) {
            double x = i % 2 == 0 ? MARGIN : left;
            y += i % 2 == 0 ? 24 : 0;
            svg.rectangle(kinds.get(i).name, x, y - 12, 14, 14);
            svg.text("", x + 20, y, "start", kinds.get(i).meaning);
        }
        return svg.drawing(width, y + 12);
    }
}
