package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.benchmarks.Section.Target;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Variants beside the one that they are compared with, after some rounds together.
 *
 * @param title where and with how many callers
 * @param base the name of what all are compared with
 * @param roundTrips how many of them a call takes, by the variant's name; empty where they were not counted
 */
record Comparison(
        String title, String base, List<Variant> variants, Measurements measured, Map<String, Double> roundTrips) {

    Table table() {
        List<List<String>> rows = new ArrayList<>();
        for (Variant variant : variants) {
            String name = variant.name();
            rows.add(List.of(
                    name,
                    measured.perSecond(name).text(0),
                    measured.ratio(name, base).text(2),
                    ofByHand(variant).map(ratio -> ratio.text(2)).orElse(""),
                    number(measured.of(name, Sample::clientMicros).median(), 0),
                    number(measured.of(name, Sample::serverMicros).median(), 0),
                    number(measured.of(name, Sample::logSyncs).median(), 2),
                    number(roundTrips.getOrDefault(name, Double.NaN), 1)));
        }
        return new Table(
                title,
                List.of(
                        "variant",
                        "calls/s",
                        "ratio to " + base,
                        "ratio to its own by hand",
                        "client CPU µs/call",
                        "server CPU µs/call",
                        "log syncs/call",
                        "round trips/call"),
                rows,
                List.of());
    }

    /** The ratio to the same statements by hand, if those were measured as well. */
    private Optional<Quartiles> ofByHand(Variant variant) {
        return Optional.ofNullable(variant.floor())
                .filter(measured.samples()::containsKey)
                .map(floor -> measured.ratio(variant.name(), floor));
    }

    private static String number(double value, int decimals) {
        return Double.isNaN(value) ? "–" : String.format(Locale.ROOT, "%." + decimals + "f", value);
    }

    /** The ratios to the base for the plot, and everything else for programs. */
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
            ofByHand(variant).ifPresent(ratio -> figures.add(new Figure(title, name, "of by hand", ratio, 0)));
            figures.add(new Figure(title, name, "calls/s", measured.perSecond(name), 0));
            figures.add(new Figure(title, name, "client CPU µs/call", measured.of(name, Sample::clientMicros), 0));
            figures.add(new Figure(title, name, "server CPU µs/call", measured.of(name, Sample::serverMicros), 0));
            figures.add(new Figure(title, name, "log syncs/call", measured.of(name, Sample::logSyncs), 0));
        }
        return figures;
    }

    Target atLeast(double bound, String variant, String to) {
        return Target.atLeast(
                bound, title.replaceFirst(",.*", "") + ": " + variant + " / " + to, measured.ratio(variant, to));
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
