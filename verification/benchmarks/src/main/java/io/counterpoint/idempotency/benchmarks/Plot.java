package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.programs.Svg;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The picture: what this library, a unique column by hand and peers reach with new keys and 8 callers. This library has a colour of its own.
 * Narrow enough for a phone, readable on light and dark ground. Everything else is in tables.
 */
final class Plot {

    /** So many are seen at a glance. */
    static final int MOST_BARS = 20;

    private static final int WIDTH = 440;
    private static final int LABELS = 172;
    private static final int NUMBERS = 44;
    private static final int BAR = 26;
    private static final int HEADING = 46;

    private static final String STYLE = """
            text { font-size: 15px; }
            .heading { font-weight: 600; }
            .ours { fill: #2f74c0; }
            .others { fill: #9aa4af; }
            .whisker { stroke: #1f2328; stroke-width: 1.5; }
            @media (prefers-color-scheme: dark) {
              .ours { fill: #4f97e8; }
              .others { fill: #6b7681; }
              .whisker { stroke: #e6edf3; }
            }
            """;

    private static final List<Bar> BARS = List.of(
            new Bar("unprotected", Variants.UNPROTECTED, false),
            new Bar("by hand", UniqueColumn.BY_HAND, false),
            new Bar("record last", Variants.RECORD_LAST, true),
            new Bar("one transaction, plan", Variants.SINGLE_PLANNED, true),
            new Bar("one transaction", Variants.SINGLE, true),
            new Bar("claim first", Variants.CLAIM_FIRST, true),
            new Bar("Spring Integration", Variants.SPRING, false),
            new Bar("DBOS Transact", Variants.DBOS, false));

    private final Collection<Section> sections;
    private final Svg svg =
            new Svg("Throughput of new keys with 8 callers: this library, a unique column by hand and peers", STYLE);
    private double y;

    private Plot(Collection<Section> sections) {
        this.sections = sections;
    }

    static String of(Collection<Section> sections) {
        Plot plot = new Plot(sections);
        plot.draw("Part of the unprotected, local", ChooseBenchmark.LOCAL);
        plot.draw("The same, " + ChooseBenchmark.NETWORK, ChooseBenchmark.NETWORK);
        plot.legend();
        return plot.svg.drawing(WIDTH, plot.y + 12);
    }

    /**
     * A bar.
     *
     * @param name of the variant
     * @param ours whether it is this library's
     */
    private record Bar(String label, String name, boolean ours) {}

    private void draw(String heading, String place) {
        String group = ChooseBenchmark.title(LeaderBenchmark.RANKED_BY, place) + ": ratio to " + Variants.UNPROTECTED;
        if (BARS.stream().allMatch(bar -> ratio(group, bar.name).isEmpty())) {
            return;
        }
        y += HEADING;
        svg.text("heading", 8, y - 12, "start", heading);
        for (Bar bar : BARS) {
            if (bar.name.equals(Variants.UNPROTECTED)) {
                draw(bar, new Quartiles(1, 1, 1));
            } else {
                ratio(group, bar.name).ifPresent(ratio -> draw(bar, ratio));
            }
        }
    }

    private Optional<Quartiles> ratio(String group, String name) {
        return sections.stream()
                .flatMap(section -> section.figures().stream())
                .filter(figure -> figure.group().equals(group) && figure.name().equals(name))
                .map(Figure::value)
                .filter(value -> !Double.isNaN(value.median()))
                .findFirst();
    }

    private void draw(Bar bar, Quartiles ratio) {
        double scale = (WIDTH - LABELS - NUMBERS - 16) / 1.1;
        double middle = y + BAR / 2.0 - 2;
        svg.text("", LABELS - 8, middle + 5, "end", bar.label);
        svg.rectangle(bar.ours ? "ours" : "others", LABELS, y, ratio.median() * scale, BAR - 6);
        if (ratio.lower() < ratio.upper()) {
            double upper = Math.min(ratio.upper(), 1.1);
            svg.line("whisker", LABELS + ratio.lower() * scale, middle, LABELS + upper * scale, middle);
        }
        svg.text("", WIDTH - 8, middle + 5, "end", Quartiles.number(ratio.median(), 2));
        y += BAR;
    }

    private void legend() {
        y += 16;
        svg.rectangle("ours", 8, y, 14, 14);
        svg.text("", 28, y + 12, "start", "this library");
        svg.rectangle("others", 132, y, 14, 14);
        svg.text("", 152, y + 12, "start", "others; line: quartiles");
        y += 14;
    }
}
