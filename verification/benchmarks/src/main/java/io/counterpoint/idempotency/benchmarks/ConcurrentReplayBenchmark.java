package io.counterpoint.idempotency.benchmarks;

import static io.counterpoint.idempotency.benchmarks.Variants.COALESCED;
import static io.counterpoint.idempotency.benchmarks.Variants.SELECT;

import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.benchmarks.Section.Target;
import io.counterpoint.idempotency.testing.DelayingProxy;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** Replays with coalesced reads and replays without, beside one SELECT by primary key. */
@Command(
        name = "concurrent-replay",
        mixinStandardHelpOptions = true,
        description = "replays with coalesced reads and with separate reads, up to 10,000 virtual threads")
final class ConcurrentReplayBenchmark extends Benchmark {

    private static final int KEYS = 256;
    private static final int VIRTUAL_THREADS = 10_000;
    private static final int VIRTUAL_THREADS_QUICK = 1_000;

    /** So many callers have answers to wait for when a turn ends: shorter turns would be all beginning and end. */
    private static final double SECONDS_OF_MANY = 1.2;

    /** Of coalesced reads to the SELECT, by the number of callers. */
    private static final Map<Integer, Double> BOUNDS =
            Map.of(LeaderBenchmark.RANKED_BY, 0.95, 64, 1.5, 256, 1.5, VIRTUAL_THREADS, 4.0);

    @Override
    Section measure(Options chosen) throws Exception {
        List<Table> tables = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        String machine = "";
        try (PostgresServer server = Machine.startServer()) {
            for (Callers callers : callers(chosen)) {
                int connections = Database.connectionsFor(callers.count());
                try (Database database = Database.open(server.createDatabase(), connections)) {
                    machine = Machine.description(database);
                    String title = "Replaying at once, " + callers + ", pool of " + connections;
                    Comparison comparison = compare(title, database, callers, chosen);
                    add(comparison, BOUNDS.getOrDefault(callers.count(), 0.0), tables, targets, figures);
                }
            }
            if (!chosen.isBrief()) {
                try (DelayingProxy proxy = DelayingProxy.inFrontOf(server.createDatabase(), ChooseBenchmark.EACH_WAY);
                        Database database = Database.open(proxy.jdbcUrl(), 10)) {
                    String title = "Replaying at once, 64 callers 0.5 ms away each way, pool of 10";
                    add(compare(title, database, Callers.threads(64), chosen), 5, tables, targets, figures);
                }
            }
        }
        if (!Callers.canBeVirtual()) {
            machine += " Virtual threads: not offered by this Java, 21 or later has them.";
        }
        return new Section(
                "Concurrent replays",
                chosen.command("concurrent-replay"),
                Machine.now(),
                machine,
                targets,
                tables,
                figures);
    }

    private static List<Callers> callers(Options chosen) {
        List<Callers> callers = new ArrayList<>();
        List<Integer> threads =
                chosen.isBrief() ? chosen.threads(64, 256) : chosen.threads(LeaderBenchmark.RANKED_BY, 16, 32, 64, 256);
        threads.forEach(count -> callers.add(Callers.threads(count)));
        if (Callers.canBeVirtual()) {
            callers.add(Callers.virtualThreads(chosen.quick() ? VIRTUAL_THREADS_QUICK : VIRTUAL_THREADS));
        }
        return callers;
    }

    private static Comparison compare(String title, Database database, Callers callers, Options chosen)
            throws Exception {
        try (Variants variants = new Variants(database)) {
            List<Variant> all = List.of(variants.select(), variants.claimFirst(), variants.coalesced());
            List<String> keys = Keys.fresh(KEYS);
            // The others read its records.
            for (String key : keys) {
                all.get(1).action().call(key);
            }
            for (String key : keys) {
                all.get(2).action().call(key);
            }
            double seconds = callers.virtual() ? Math.max(chosen.seconds(), SECONDS_OF_MANY) : chosen.seconds();
            Rounds rounds =
                    new Rounds(title, callers, chosen.rounds(), seconds, Meters.of(database)).warm(callers.virtual());
            return new Comparison(title, SELECT, all, rounds.replay(all, Keys.anyOf(keys)), Map.of());
        }
    }

    private static void add(
            Comparison comparison, double bound, List<Table> tables, List<Target> targets, List<Figure> figures) {
        tables.add(comparison.table());
        figures.addAll(comparison.figures(Map.of(COALESCED, bound)));
        if (bound > 0) {
            targets.add(comparison.atLeast(bound, COALESCED, SELECT));
        }
    }
}
