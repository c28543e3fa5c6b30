package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Findings.Figure;
import io.counterpoint.idempotency.benchmarks.Findings.Table;
import io.counterpoint.idempotency.benchmarks.Findings.Worst;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Variants compared with a base, after some rounds together.
 *
 * @param title the environment and the number of callers
 * @param base the name of the variant with which all others are compared
 * @param roundTrips the round trips of a call, by the variant's name; empty if they were not counted
 */
record Comparison(
        String title, String base, List<Variant> variants, Measurements measured, Map<String, Double> roundTrips) {

    /**
     * A figure that each variant has.
     *
     * @param spread whether the table also shows the quartiles
     */
    private record Column(String title, int decimals, boolean spread, Function<Variant, Quartiles> value) {

        String cell(Variant variant) {
            Quartiles found = value.apply(variant);
            return spread || !found.areKnown() ? found.text(decimals) : Quartiles.number(found.median(), decimals);
        }
    }

    /** Adds round trips. */
    Comparison with(Map<String, Double> counted) {
        return new Comparison(title, base, variants, measured, counted);
    }

    private List<Column> columns() {
        return List.of(
                new Column("calls/s", 0, true, variant -> measured.of(variant.name(), Sample::perSecond)),
                new Column("ratio to " + base, 2, true, variant -> measured.ratio(variant.name(), base)),
                new Column("ratio to its own by hand", 2, true, this::ofByHand),
                new Column("p50, µs", 0, false, variant -> measured.of(variant.name(), Sample::p50)),
                new Column("p99, µs", 0, false, variant -> measured.of(variant.name(), Sample::p99)),
                cost("client CPU µs/call", 0, Sample.Cost::clientMicros),
                cost("server CPU µs/call", 0, Sample.Cost::serverMicros),
                cost("log syncs/call", 2, Sample.Cost::logSyncs),
                cost("log bytes/call", 0, Sample.Cost::logBytes),
                cost("index blocks read/call", 2, Sample.Cost::indexBlocks),
                new Column("round trips/call", 1, false, variant -> {
                    double counted = roundTrips.getOrDefault(variant.name(), Double.NaN);
                    return new Quartiles(counted, counted, counted);
                }));
    }

    private Column cost(String title, int decimals, Function<Sample.Cost, Double> figure) {
        return new Column(
                title, decimals, false, variant -> measured.of(variant.name(), one -> figure.apply(one.cost())));
    }

    /** The ratio to the same statements written by hand, if those were measured as well. */
    private Quartiles ofByHand(Variant variant) {
        String floor = variant.floor();
        return floor != null && measured.samples().containsKey(floor)
                ? measured.ratio(variant.name(), floor)
                : Quartiles.of(List.of());
    }

    /** Formats the table. It omits these columns, and those in which no variant has a figure. */
    Table table(Set<String> leftOut) {
        List<Column> columns = columns().stream()
                .filter(column -> !leftOut.contains(column.title))
                .filter(column -> variants.stream()
                        .anyMatch(variant -> column.value.apply(variant).areKnown()))
                .toList();
        List<String> header = new ArrayList<>(List.of("variant"));
        columns.forEach(column -> header.add(column.title));
        List<List<String>> rows = new ArrayList<>();
        for (Variant variant : variants) {
            List<String> row = new ArrayList<>(List.of(variant.name()));
            columns.forEach(column -> row.add(column.cell(variant)));
            rows.add(row);
        }
        // All ratios of the base are 1, so its calls per second decide.
        return new Table(title, header, rows, List.of(), Worst.less(2, 1));
    }

    /** All figures, for programs. */
    List<Figure> figures() {
        List<Figure> figures = new ArrayList<>();
        for (Variant variant : variants) {
            Map<String, Quartiles> values = new LinkedHashMap<>();
            columns().forEach(column -> values.put(column.title, column.value.apply(variant)));
            values.values().removeIf(value -> !value.areKnown());
            figures.add(new Figure(title, variant.name(), values));
        }
        return figures;
    }

    /** The guarantees of each variant, once for all tables. */
    static Table guarantees(List<Variant> variants) {
        Map<String, String> byGuarantee = new LinkedHashMap<>();
        variants.forEach(variant ->
                byGuarantee.merge(variant.guarantee(), variant.name(), (names, name) -> names + "; " + name));
        List<List<String>> rows = new ArrayList<>();
        byGuarantee.forEach((guarantee, names) -> rows.add(List.of(names, guarantee)));
        return new Table("What each guarantees", List.of("variant", "guarantees"), rows, List.of(), null);
    }
}
