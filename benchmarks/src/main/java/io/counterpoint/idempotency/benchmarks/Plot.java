package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Section.Figure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Ratios as bars: the median, the quartiles as a whisker, and the bound as a mark. Readable on light and dark ground. */
final class Plot {

    private static final int WIDTH = 900;
    private static final int LABELS = 330;
    private static final int FIGURES = 60;
    private static final int BAR = 22;
    private static final int HEADING = 40;

    private static final String STYLE = """
            <style>
              text { font: 13px system-ui, sans-serif; fill: #1f2328; }
              .heading { font-weight: 600; }
              .bar { fill: #4c8dd6; }
              .whisker { stroke: #1f2328; stroke-width: 1.5; }
              .bound { stroke: #c9510c; stroke-width: 2.5; }
              .one { stroke: #8c959f; stroke-dasharray: 3 3; }
              @media (prefers-color-scheme: dark) {
                text { fill: #e6edf3; }
                .bar { fill: #3b78bd; }
                .whisker { stroke: #e6edf3; }
                .bound { stroke: #ff9b50; }
              }
            </style>
            """;

    private final StringBuilder drawing = new StringBuilder();
    private double y;

    private Plot() {}

    /** All figures of the sections that are ratios, group by group. */
    static String of(List<Section> sections) {
        Map<String, List<Figure>> groups = new LinkedHashMap<>();
        sections.stream()
                .flatMap(section -> section.figures().stream())
                .filter(figure -> figure.unit().equals("ratio"))
                .filter(figure -> !Double.isNaN(figure.value().median()))
                .forEach(figure -> groups.computeIfAbsent(figure.group(), group -> new ArrayList<>())
                        .add(figure));
        Plot plot = new Plot();
        groups.forEach(plot::draw);
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" role=\"img\">%n"
                        .formatted(WIDTH, plot.y + 20)
                + "<title>Ratios: median, quartiles, and the bound to reach</title>\n" + STYLE + plot.drawing
                + "</svg>\n";
    }

    private void draw(String group, List<Figure> figures) {
        y += HEADING;
        add("<text class=\"heading\" x=\"10\" y=\"%.0f\">%s</text>%n", y - 12, escaped(group));
        double most = figures.stream()
                .mapToDouble(figure -> Math.max(figure.value().upper(), figure.bound()))
                .max()
                .orElse(1);
        double scale = (WIDTH - LABELS - FIGURES - 20) / Math.max(1.05, most);
        double top = y;
        for (Figure figure : figures) {
            draw(figure, scale);
        }
        line("one", LABELS + scale, top, LABELS + scale, y);
    }

    private void draw(Figure figure, double scale) {
        Quartiles value = figure.value();
        double middle = y + BAR / 2.0 - 2;
        add(
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>%n",
                LABELS - 8, middle + 4, escaped(figure.name()));
        add(
                "<rect class=\"bar\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>%n",
                LABELS, y, value.median() * scale, BAR - 5);
        line("whisker", LABELS + value.lower() * scale, middle, LABELS + value.upper() * scale, middle);
        for (double end : new double[] {value.lower(), value.upper()}) {
            line("whisker", LABELS + end * scale, middle - 4, LABELS + end * scale, middle + 4);
        }
        if (figure.bound() > 0) {
            line("bound", LABELS + figure.bound() * scale, y - 1, LABELS + figure.bound() * scale, y + BAR - 4);
        }
        add("<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.2f</text>%n", WIDTH - 10, middle + 4, value.median());
        y += BAR;
    }

    private void line(String kind, double x1, double y1, double x2, double y2) {
        add("<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n", kind, x1, y1, x2, y2);
    }

    private void add(String format, Object... values) {
        drawing.append(String.format(Locale.ROOT, format, values));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
