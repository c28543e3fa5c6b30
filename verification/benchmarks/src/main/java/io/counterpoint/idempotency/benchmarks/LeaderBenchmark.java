package io.counterpoint.idempotency.benchmarks;

import static io.counterpoint.idempotency.benchmarks.Variants.CLAIM_FIRST;
import static io.counterpoint.idempotency.benchmarks.Variants.DBOS;
import static io.counterpoint.idempotency.benchmarks.Variants.SINGLE;
import static io.counterpoint.idempotency.benchmarks.Variants.SINGLE_PLANNED;
import static io.counterpoint.idempotency.benchmarks.Variants.SPRING;
import static io.counterpoint.idempotency.benchmarks.Variants.UNPROTECTED;

import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** A new key each time: how much more a leading call costs than the unprotected transaction. */
@Command(
        name = "leader",
        header = "Leading",
        description = "calls that lead, beside the unprotected transaction, SQL by hand and peers")
final class LeaderBenchmark extends Benchmark {

    private static final Map<String, Double> BOUNDS = Map.of(SINGLE_PLANNED, 0.80, SINGLE, 0.68, CLAIM_FIRST, 0.63);

    /** The minimum ratio of each protocol to its hand-written SQL. */
    private static final Map<String, Double> OF_BY_HAND = Map.of(SINGLE_PLANNED, 0.93, SINGLE, 0.93, CLAIM_FIRST, 0.97);

    /** The number of callers to which the limits apply. */
    static final int RANKED_BY = 8;

    @Override
    String measure(BenchmarkOptions chosen, Findings found) throws Exception {
        String machine = "";
        try (PostgresServer server = Machine.startServer()) {
            Map<String, Double> roundTrips = RoundTrips.count(server.createDatabase(), Variants::leaders);
            for (int threads : chosen.threads()) {
                try (BenchmarkDatabase database = BenchmarkDatabase.forCallers(threads, server.createDatabase());
                        Variants variants = new Variants(database)) {
                    machine = Machine.description(database);
                    List<Variant> all = variants.leaders();
                    Comparison comparison = new Rounds(chosen, threads, Meters.of(database))
                            .compare("Leading", UNPROTECTED, all)
                            .with(roundTrips);
                    found.add(comparison);
                    if (threads == RANKED_BY) {
                        addTargets(comparison, found);
                        found.tables().add(Comparison.guarantees(all));
                    }
                }
            }
        }
        return machine;
    }

    private static void addTargets(Comparison comparison, Findings found) {
        BOUNDS.forEach((name, bound) -> found.atLeast(bound, comparison, name, UNPROTECTED));
        for (Variant variant : comparison.variants()) {
            if (variant.floor() != null) {
                found.atLeast(
                        OF_BY_HAND.getOrDefault(variant.name(), 0.95), comparison, variant.name(), variant.floor());
            }
        }
        found.atLeast(1.2, comparison, SINGLE_PLANNED, SPRING);
        found.atLeast(4, comparison, SINGLE_PLANNED, DBOS);
    }
}
