package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.programs.Svg;
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
            text { font-size: 13px; }
            .heading { font-weight: 600; }
            .bar { fill: #4c8dd6; }
            .whisker { stroke: #1f2328; stroke-width: 1.5; }
            .bound { stroke: #c9510c; stroke-width: 2.5; }
            .one { stroke: #8c959f; stroke-dasharray: 3 3; }
            @media (prefers-color-scheme: dark) {
              .bar { fill: #3b78bd; }
              .whisker { stroke: #e6edf3; }
              .bound { stroke: #ff9b50; }
            }
            """;

    private final Svg svg = new Svg("Ratios: median, quartiles, and the bound to reach", STYLE);
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
        return plot.svg.drawing(WIDTH, plot.y + 20);
    }

    private void draw(String group, List<Figure> figures) {
        y += HEADING;
        svg.text("heading", 10, y - 12, "start", group);
        double most = figures.stream()
                .mapToDouble(figure -> Math.max(figure.value().upper(), figure.bound()))
                .max()
                .orElse(1);
        double scale = (WIDTH - LABELS - FIGURES - 20) / Math.max(1.05, most);
        double top = y;
        for (Figure figure : figures) {
            draw(figure, scale);
        }
        svg.line("one", LABELS + scale, top, LABELS + scale, y);
    }

    private void draw(Figure figure, double scale) {
        Quartiles value = figure.value();
        double middle = y + BAR / 2.0 - 2;
        svg.text("", LABELS - 8, middle + 4, "end", figure.name());
        svg.rectangle("bar", LABELS, y, value.median() * scale, BAR - 5);
        svg.line("whisker", LABELS + value.lower() * scale, middle, LABELS + value.upper() * scale, middle);
        for (double end : new double[] {value.lower(), value.upper()}) {
            svg.line("whisker", LABELS + end * scale, middle - 4, LABELS + end * scale, middle + 4);
        }
        if (figure.bound() > 0) {
            svg.line("bound", LABELS + figure.bound() * scale, y - 1, LABELS + figure.bound() * scale, y + BAR - 4);
        }
        svg.text("", WIDTH - 10, middle + 4, "end", String.format(Locale.ROOT, "%.2f", value.median()));
        y += BAR;
    }
}
