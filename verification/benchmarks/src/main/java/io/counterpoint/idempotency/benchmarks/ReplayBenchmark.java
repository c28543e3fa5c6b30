package io.counterpoint.idempotency.benchmarks;

import static io.counterpoint.idempotency.benchmarks.Variants.CLAIM_FIRST;
import static io.counterpoint.idempotency.benchmarks.Variants.SELECT;

import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.benchmarks.Section.Target;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** A key that has its answer: what a replay costs more than reading one row by its primary key. */
@Command(
        name = "replay",
        mixinStandardHelpOptions = true,
        description = "calls that are answered from a record, beside one SELECT by primary key and peers")
final class ReplayBenchmark extends Benchmark {

    static final Map<String, Double> BOUNDS = Map.of(CLAIM_FIRST, 0.95);
    private static final List<Integer> RANKED_BY = List.of(LeaderBenchmark.RANKED_BY, 64);
    private static final int KEYS = 256;

    @Override
    Section measure(Options chosen) throws Exception {
        List<Table> tables = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        String machine = "";
        try (PostgresServer server = Machine.startServer()) {
            List<String> counted = Keys.fresh(1);
            Map<String, Double> roundTrips = RoundTrips.count(
                    server.createDatabase(), ReplayBenchmark::variants, variant -> Keys.anyOf(counted));
            for (int threads : chosen.isBrief() ? chosen.threads(LeaderBenchmark.RANKED_BY, 64) : chosen.threads()) {
                int connections = Database.connectionsFor(threads);
                String title = "Replaying, " + threads + " callers, pool of " + connections;
                try (Database database = Database.open(server.createDatabase(), connections);
                        Variants variants = new Variants(database)) {
                    machine = Machine.description(database);
                    Comparison comparison = compare(
                            title,
                            variants,
                            new Rounds(title, threads, chosen.rounds(), chosen.seconds(), Meters.of(database)),
                            roundTrips);
                    tables.add(comparison.table());
                    boolean ranked = RANKED_BY.contains(threads);
                    figures.addAll(comparison.figures(ranked ? BOUNDS : Map.of()));
                    if (ranked) {
                        targets.add(comparison.atLeast(BOUNDS.getOrDefault(CLAIM_FIRST, 0.0), CLAIM_FIRST, SELECT));
                    }
                }
            }
        }
        return new Section("Replaying", chosen.command("replay"), Machine.now(), machine, targets, tables, figures);
    }

    /** Prepares records, and lets all variants answer from them. */
    static Comparison compare(String title, Variants variants, Rounds rounds, Map<String, Double> roundTrips)
            throws Exception {
        List<String> keys = prepare(variants, KEYS);
        List<Variant> all = variants(variants);
        return new Comparison(title, SELECT, all, rounds.replay(all, Keys.anyOf(keys)), roundTrips);
    }

    static List<String> prepare(Variants variants, int count) throws Exception {
        List<String> keys = Keys.fresh(count);
        for (Variant variant : variants.replays()) {
            for (String key : keys) {
                variant.action().call(key);
            }
        }
        return keys;
    }

    /** The SELECT reads the records of another variant, so it comes last. */
    static List<Variant> variants(Variants variants) {
        List<Variant> all = new ArrayList<>(variants.replays());
        all.add(variants.select());
        return all;
    }
}
