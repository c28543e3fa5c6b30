package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.programs.BarChart;
import io.counterpoint.idempotency.programs.BarChart.Kind;
import java.util.List;
import java.util.Optional;

/**
 * The picture: the results of this library, a hand-written unique column and peers with new keys and 8 callers. The
 * rest is in tables.
 */
final class Plot {

    private static final Kind OURS = new Kind("ours", "#2f74c0", "#4f97e8", "this library");
    private static final Kind OTHERS = new Kind("others", "#9aa4af", "#6b7681", "others; line: quartiles");

    private static final List<Bar> BARS = List.of(
            new Bar("unprotected", Variants.UNPROTECTED, OTHERS),
            new Bar("by hand", UniqueColumn.BY_HAND, OTHERS),
            new Bar("record last", Variants.RECORD_LAST, OURS),
            new Bar("one transaction, plan", Variants.SINGLE_PLANNED, OURS),
            new Bar("one transaction", Variants.SINGLE, OURS),
            new Bar("claim first", Variants.CLAIM_FIRST, OURS),
            new Bar("Spring Integration", Variants.SPRING, OTHERS),
            new Bar("DBOS Transact", Variants.DBOS, OTHERS));

    private Plot() {}

    /** The bar of a variant. */
    private record Bar(String label, String variant, Kind kind) {}

    static String of(List<Section> sections) {
        BarChart chart = new BarChart(
                "Throughput of new keys with 8 callers: this library, a unique column by hand and peers",
                List.of(OURS, OTHERS),
                172,
                189,
                71);
        draw(sections, chart, ChooseBenchmark.LOCAL, "Part of the unprotected, local");
        draw(sections, chart, ChooseBenchmark.NETWORK, "The same, " + ChooseBenchmark.NETWORK);
        return chart.drawing();
    }

    private static void draw(List<Section> sections, BarChart chart, String place, String heading) {
        String group = ChooseBenchmark.title(LeaderBenchmark.RANKED_BY, place);
        if (BARS.stream().anyMatch(bar -> ratio(sections, group, bar).isPresent())) {
            chart.heading(heading);
        }
        for (Bar bar : BARS) {
            ratio(sections, group, bar)
                    .ifPresent(ratio -> chart.bar(
                            bar.label,
                            bar.kind,
                            ratio.median(),
                            ratio.lower(),
                            Math.min(ratio.upper(), 1.1),
                            Quartiles.number(ratio.median(), 2)));
        }
    }

    private static Optional<Quartiles> ratio(List<Section> sections, String group, Bar bar) {
        return sections.stream()
                .flatMap(section -> section.found().figures().stream())
                .filter(figure -> figure.group().equals(group) && figure.name().equals(bar.variant))
                .map(figure -> Optional.ofNullable(figure.values().get("ratio to " + Variants.UNPROTECTED)))
                .flatMap(Optional::stream)
                .findFirst();
    }
}
