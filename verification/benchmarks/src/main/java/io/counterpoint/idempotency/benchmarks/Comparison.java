package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.benchmarks.Section.Target;
import io.counterpoint.idempotency.benchmarks.Section.Worst;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * Variants beside the one that they are compared with, after some rounds together.
 *
 * @param title where and with how many callers
 * @param base the name of what all are compared with
 * @param roundTrips how many of them a call takes, by the variant's name; empty where they were not counted
 */
record Comparison(
        String title, String base, List<Variant> variants, Measurements measured, Map<String, Double> roundTrips) {

    private static final String NOTHING = "–";

    /** One figure of what a call costs. */
    private record Meter(String unit, int decimals, ToDoubleFunction<Sample.Cost> figure) {}

    private static final Meter INSTRUCTIONS =
            new Meter("server instructions/call, thousand", 0, cost -> cost.instructions() / 1e3);

    /** In the order of the columns. */
    private static final List<Meter> METERS = List.of(
            new Meter("client CPU µs/call", 0, Sample.Cost::clientMicros),
            new Meter("server CPU µs/call", 0, Sample.Cost::serverMicros),
            INSTRUCTIONS,
            new Meter("log syncs/call", 2, Sample.Cost::logSyncs),
            new Meter("log bytes/call", 0, Sample.Cost::logBytes),
            new Meter("index blocks read/call", 2, Sample.Cost::indexBlocks));

    Table table() {
        return table(Set.of());
    }

    /** A column in which no variant has a figure is left out, and so are these. */
    Table table(Set<String> leftOut) {
        Map<String, Function<String, String>> columns = new LinkedHashMap<>();
        columns.put("calls/s", name -> measured.perSecond(name).text(0));
        columns.put("ratio to " + base, name -> measured.ratio(name, base).text(2));
        columns.put(
                "ratio to its own by hand",
                name -> ofByHand(name).map(ratio -> ratio.text(2)).orElse(""));
        columns.put("p50, µs", name -> number(measured.of(name, Sample::p50).median(), 0));
        columns.put("p99, µs", name -> number(measured.of(name, Sample::p99).median(), 0));
        for (Meter meter : METERS) {
            columns.put(meter.unit, name -> number(of(name, meter).median(), meter.decimals));
        }
        columns.put("round trips/call", name -> number(roundTrips.getOrDefault(name, Double.NaN), 1));
        columns.keySet().removeAll(leftOut);
        List<String> names = variants.stream().map(Variant::name).toList();
        columns.values()
                .removeIf(cell -> names.stream().map(cell).allMatch(text -> text.isEmpty() || text.equals(NOTHING)));
        List<String> header = new ArrayList<>(List.of("variant"));
        header.addAll(columns.keySet());
        List<List<String>> rows = new ArrayList<>();
        for (String name : names) {
            List<String> row = new ArrayList<>(List.of(name));
            columns.values().forEach(cell -> row.add(cell.apply(name)));
            rows.add(row);
        }
        // All ratios of the base are 1, so its calls in a second decide.
        return new Table(title, header, rows, List.of(), Worst.less(2, 1));
    }

    private Quartiles of(String name, Meter meter) {
        return measured.of(name, sample -> meter.figure.applyAsDouble(sample.cost()));
    }

    /** The ratio to the same statements by hand, if those were measured as well. */
    private Optional<Quartiles> ofByHand(String name) {
        return variants.stream()
                .filter(variant -> variant.name().equals(name))
                .findFirst()
                .map(Variant::floor)
                .filter(measured.samples()::containsKey)
                .map(floor -> measured.ratio(name, floor));
    }

    private static String number(double value, int decimals) {
        return Double.isNaN(value) ? NOTHING : Quartiles.number(value, decimals);
    }

    /** The ratios to the base for the picture, and everything else for programs. */
    List<Figure> figures(Map<String, Double> bounds) {
        List<Figure> figures = new ArrayList<>();
        for (Variant variant : variants) {
            String name = variant.name();
            if (!name.equals(base)) {
                figures.add(new Figure(
                        title + ": ratio to " + base,
                        name,
                        "ratio",
                        measured.ratio(name, base),
                        bounds.getOrDefault(name, 0.0)));
            }
            ofByHand(name).ifPresent(ratio -> figures.add(new Figure(title, name, "of by hand", ratio, 0)));
            figures.add(new Figure(title, name, "calls/s", measured.perSecond(name), 0));
            figures.add(new Figure(title, name, "p50, µs", measured.of(name, Sample::p50), 0));
            figures.add(new Figure(title, name, "p99, µs", measured.of(name, Sample::p99), 0));
            for (Meter meter : METERS) {
                figures.add(new Figure(title, name, meter.unit, of(name, meter), 0));
            }
        }
        return figures;
    }

    Target atLeast(double bound, String variant, String to) {
        return Target.atLeast(
                bound, title.replaceFirst(", pool.*", "") + ": " + variant + " / " + to, measured.ratio(variant, to));
    }

    /** At most so many thousand instructions of the server a call, where the machine counts them. */
    Optional<Target> atMostThousandInstructions(double bound, String variant) {
        Quartiles thousand = of(variant, INSTRUCTIONS);
        return Double.isNaN(thousand.median())
                ? Optional.empty()
                : Optional.of(Target.atMost(
                        bound,
                        "thousand",
                        title.replaceFirst(", pool.*", "") + ": instructions, " + variant,
                        thousand));
    }

    /** What each variant promises, once for all tables. */
    static Table guarantees(List<Variant> variants) {
        Map<String, String> byGuarantee = new LinkedHashMap<>();
        variants.forEach(variant ->
                byGuarantee.merge(variant.guarantee(), variant.name(), (names, name) -> names + "; " + name));
        return new Table(
                "What each guarantees",
                List.of("variant", "guarantees"),
                byGuarantee.entrySet().stream()
                        .map(entry -> List.of(entry.getValue(), entry.getKey()))
                        .toList(),
                List.of());
    }
}
