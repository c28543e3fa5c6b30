package io.counterpoint.idempotency.benchmarks;

import static io.counterpoint.idempotency.benchmarks.Variants.COALESCED;
import static io.counterpoint.idempotency.benchmarks.Variants.SELECT;

import io.counterpoint.idempotency.testing.DelayingProxy;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** Replays with and without coalesced reads, compared with one SELECT by primary key. */
@Command(
        name = "concurrent-replay",
        header = "Concurrent replays",
        description = "replays with coalesced reads and with separate reads, up to 10,000 virtual threads")
final class ConcurrentReplayBenchmark extends Benchmark {

    private static final int VIRTUAL_THREADS = 10_000;
    private static final int VIRTUAL_THREADS_QUICK = 1_000;

    /** With this many callers, shorter turns would consist mainly of their start and end. */
    private static final double SECONDS_OF_MANY = 1.2;

    /** The minimum ratio of coalesced reads to the SELECT, by the number of callers. */
    private static final Map<Integer, Double> BOUNDS =
            Map.of(LeaderBenchmark.RANKED_BY, 0.95, 64, 1.5, 256, 1.5, VIRTUAL_THREADS, 4.0);

    @Override
    String measure(BenchmarkOptions chosen, Findings found) throws Exception {
        String machine = "";
        try (PostgresServer server = Machine.startServer()) {
            for (Callers callers : callers(chosen)) {
                try (BenchmarkDatabase database =
                        BenchmarkDatabase.forCallers(callers.count(), server.createDatabase())) {
                    machine = Machine.description(database);
                    double bound = BOUNDS.getOrDefault(callers.count(), 0.0);
                    compare("Replaying at once", database, callers, chosen, bound, found);
                }
            }
            if (!chosen.isBrief()) {
                try (DelayingProxy proxy = DelayingProxy.inFrontOf(server.createDatabase(), ChooseBenchmark.EACH_WAY);
                        BenchmarkDatabase database = BenchmarkDatabase.open(proxy.jdbcUrl(), 10)) {
                    String what = "Replaying at once, 0.5 ms away each way";
                    compare(what, database, Callers.threads(64), chosen, 5, found);
                }
            }
        }
        return Callers.canBeVirtual()
                ? machine
                : machine + " Virtual threads: not offered by this Java, 21 or later has them.";
    }

    private static List<Callers> callers(BenchmarkOptions chosen) {
        List<Callers> callers = new ArrayList<>();
        List<Integer> threads =
                chosen.isBrief() ? chosen.threads(64, 256) : chosen.threads(LeaderBenchmark.RANKED_BY, 16, 32, 64, 256);
        threads.forEach(count -> callers.add(Callers.threads(count)));
        if (Callers.canBeVirtual()) {
            callers.add(Callers.virtualThreads(chosen.quick() ? VIRTUAL_THREADS_QUICK : VIRTUAL_THREADS));
        }
        return callers;
    }

    private static void compare(
            String what,
            BenchmarkDatabase database,
            Callers callers,
            BenchmarkOptions chosen,
            double bound,
            Findings found)
            throws Exception {
        try (Variants variants = new Variants(database)) {
            List<String> keys = Keys.fresh(Keys.KNOWN);
            // The other variants read its records.
            Variant first = variants.claimFirst();
            for (String key : keys) {
                first.action().call(key);
            }
            List<Variant> all = List.of(variants.select(), first, variants.coalesced()).stream()
                    .map(variant -> variant.replaying(Keys.anyOf(keys)))
                    .toList();
            ChooseBenchmark.prepare(all, keys);
            Rounds rounds = new Rounds(chosen, callers, Meters.of(database));
            Comparison comparison =
                    (callers.virtual() ? rounds.warm().atLeast(SECONDS_OF_MANY) : rounds).compare(what, SELECT, all);
            found.add(comparison);
            if (bound > 0) {
                found.atLeast(bound, comparison, COALESCED, SELECT);
            }
        }
    }
}
