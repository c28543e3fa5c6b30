package io.counterpoint.idempotency.benchmarks;

import static io.counterpoint.idempotency.benchmarks.Variants.CLAIM_FIRST;
import static io.counterpoint.idempotency.benchmarks.Variants.DBOS;
import static io.counterpoint.idempotency.benchmarks.Variants.RECORD_LAST;
import static io.counterpoint.idempotency.benchmarks.Variants.SINGLE;
import static io.counterpoint.idempotency.benchmarks.Variants.SINGLE_PLANNED;
import static io.counterpoint.idempotency.benchmarks.Variants.SPRING;
import static io.counterpoint.idempotency.benchmarks.Variants.UNPROTECTED;

import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.benchmarks.Section.Target;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** A fresh key each time: what a call that leads costs more than the unprotected transaction. */
@Command(
        name = "leader",
        mixinStandardHelpOptions = true,
        description = "calls that lead, beside the unprotected transaction, SQL by hand and peers")
final class LeaderBenchmark extends Benchmark {

    static final Map<String, Double> BOUNDS =
            Map.of(SINGLE_PLANNED, 0.80, SINGLE, 0.68, CLAIM_FIRST, 0.63, RECORD_LAST, 0.85);

    /** What the protocols reach at least of their hand-written SQL. */
    private static final Map<String, Double> OF_BY_HAND = Map.of(SINGLE_PLANNED, 0.93, SINGLE, 0.93, CLAIM_FIRST, 0.97);

    private static final double THOUSAND_INSTRUCTIONS = 305;

    /** The number of callers for which the bounds are meant. */
    static final int RANKED_BY = 8;

    @Override
    Section measure(Options chosen) throws Exception {
        List<Table> tables = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        String machine = "";
        try (PostgresServer server = Machine.startServer()) {
            Map<String, Double> roundTrips = RoundTrips.count(
                    server.createDatabase(),
                    chosen.isBrief() ? Variants::mainLeaders : Variants::leaders,
                    variant -> Keys::fresh);
            for (int threads : chosen.threads()) {
                int connections = Database.connectionsFor(threads);
                String title = "Leading, " + threads + " callers, pool of " + connections;
                try (Database database = Database.open(server.createDatabase(), connections);
                        Variants variants = new Variants(database)) {
                    machine = Machine.description(database);
                    List<Variant> all = chosen.isBrief() ? variants.mainLeaders() : variants.leaders();
                    Measurements measured = new Rounds(
                                    title, threads, chosen.rounds(), chosen.seconds(), Meters.of(database))
                            .lead(all);
                    Comparison comparison = new Comparison(title, UNPROTECTED, all, measured, roundTrips);
                    tables.add(comparison.table());
                    boolean ranked = threads == RANKED_BY;
                    figures.addAll(comparison.figures(ranked ? BOUNDS : Map.of()));
                    if (ranked) {
                        targets.addAll(targets(comparison));
                        tables.add(Comparison.guarantees(all));
                    }
                }
            }
        }
        return new Section("Leading", chosen.command("leader"), Machine.now(), machine, targets, tables, figures);
    }

    private static List<Target> targets(Comparison comparison) {
        List<Target> targets = new ArrayList<>();
        List.of(SINGLE_PLANNED, SINGLE, CLAIM_FIRST)
                .forEach(name -> targets.add(comparison.atLeast(BOUNDS.getOrDefault(name, 0.0), name, UNPROTECTED)));
        for (Variant variant : comparison.variants()) {
            if (variant.floor() != null) {
                targets.add(comparison.atLeast(
                        OF_BY_HAND.getOrDefault(variant.name(), 0.95), variant.name(), variant.floor()));
            }
        }
        for (String name : List.of(SINGLE_PLANNED, SINGLE, CLAIM_FIRST, RECORD_LAST)) {
            if (comparison.measured().samples().containsKey(Variants.bare(name))) {
                targets.add(comparison.atLeast(0.95, name, Variants.bare(name)));
            }
        }
        comparison
                .atMostThousandInstructions(THOUSAND_INSTRUCTIONS, SINGLE_PLANNED)
                .ifPresent(targets::add);
        targets.add(comparison.atLeast(1.2, SINGLE_PLANNED, SPRING));
        targets.add(comparison.atLeast(4, SINGLE_PLANNED, DBOS));
        return targets;
    }
}
