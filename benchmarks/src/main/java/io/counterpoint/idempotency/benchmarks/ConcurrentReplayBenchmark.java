package io.counterpoint.idempotency.benchmarks;

import static io.counterpoint.idempotency.benchmarks.Variants.CLAIM_FIRST;
import static io.counterpoint.idempotency.benchmarks.Variants.COALESCED;

import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.benchmarks.Section.Target;
import io.counterpoint.idempotency.testing.DelayingProxy;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** Replays with coalesced reads beside replays without. */
@Command(
        name = "concurrent-replay",
        mixinStandardHelpOptions = true,
        description = "replays with coalesced reads and replays with separate reads, with and without a network")
final class ConcurrentReplayBenchmark extends Benchmark {

    private static final int KEYS = 256;

    @Override
    Section measure(Options chosen) throws Exception {
        List<Table> tables = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        String machine = "";
        try (PostgresServer server = Machine.startServer()) {
            for (int threads : chosen.threads(LeaderBenchmark.RANKED_BY, 16, 32, 64)) {
                double bound = threads == 64 ? 1.3 : threads == LeaderBenchmark.RANKED_BY ? 0.95 : 0;
                int connections = Database.connectionsFor(threads);
                try (Database database = Database.open(server.createDatabase(), connections)) {
                    machine = Machine.description(database);
                    Comparison comparison =
                            compare(threads + " callers replay, pool of " + connections, database, threads, chosen);
                    add(comparison, bound, tables, targets, figures);
                }
            }
            try (DelayingProxy proxy = DelayingProxy.inFrontOf(server.createDatabase(), NetworkBenchmark.EACH_WAY);
                    Database database = Database.open(proxy.jdbcUrl(), 10)) {
                add(
                        compare("64 callers replay 0.5 ms away each way, pool of 10", database, 64, chosen),
                        5,
                        tables,
                        targets,
                        figures);
            }
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

    private static Comparison compare(String title, Database database, int threads, Options chosen) throws Exception {
        try (Variants variants = new Variants(database)) {
            List<Variant> all = List.of(variants.claimFirst(), variants.coalesced());
            List<String> keys = Keys.fresh(KEYS);
            for (Variant variant : all) {
                for (String key : keys) {
                    variant.action().call(key);
                }
            }
            Rounds rounds = new Rounds(title, threads, chosen.rounds(), chosen.seconds(), Meters.of(database));
            return new Comparison(title, CLAIM_FIRST, all, rounds.replay(all, Keys.anyOf(keys)), Map.of());
        }
    }

    private static void add(
            Comparison comparison, double bound, List<Table> tables, List<Target> targets, List<Figure> figures) {
        tables.add(comparison.table());
        figures.addAll(comparison.figures(Map.of(COALESCED, bound)));
        if (bound > 0) {
            targets.add(Target.atLeast(
                    bound,
                    comparison.title() + ": coalesced / plain",
                    comparison.measured().ratio(COALESCED, CLAIM_FIRST)));
        }
    }
}
