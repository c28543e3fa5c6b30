package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Findings.Table;
import io.counterpoint.idempotency.benchmarks.RecordTable.Order;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import picocli.CommandLine.Command;

/** Whether a table stays as large as its records while they are inserted, marked and purged many times over. */
@Command(
        name = "churn",
        header = "Churn",
        description =
                "a table whose records are all replaced again and again: its size, and updates that touch no index")
final class ChurnBenchmark extends Benchmark {

    private static final int TURNOVERS = 6;
    private static final int PARTITIONS = 4;
    private static final int BATCH = 500;

    /** The pause after a purge that found less than a full batch. */
    private static final Duration PAUSE = Duration.ofMillis(20);

    /** The maximum growth of the bytes per record in a table that has filled up. */
    private static final double BOUND = 2;

    @Override
    String measure(BenchmarkOptions chosen, Findings found) throws Exception {
        int threads = chosen.threads(LeaderBenchmark.RANKED_BY).get(0);
        Duration retention = Duration.ofSeconds(chosen.quick() ? 3 : chosen.isBrief() ? 20 : 60);
        try (PostgresServer server = Machine.startServer();
                BenchmarkDatabase database = BenchmarkDatabase.open(
                        server.createDatabase(), BenchmarkDatabase.connectionsFor(threads) + 2)) {
            // A turnover represents a day, in which autovacuum runs a thousand times.
            database.execute("ALTER SYSTEM SET autovacuum_naptime = 1");
            database.execute("SELECT pg_reload_conf()");
            List<List<String>> rows = new ArrayList<>();
            for (Order order : Order.values()) {
                for (int partitions : List.of(1, PARTITIONS)) {
                    String kind = (order == Order.TIME ? "in order of time" : "random")
                            + (partitions == 1 ? "" : ", " + partitions + " partitions");
                    String name = ("churned_" + order + '_' + partitions).toLowerCase(Locale.ROOT);
                    churn(RecordTable.empty(database, name, order, partitions), kind, retention, threads, found, rows);
                }
            }
            found.tables()
                    .add(new Table(
                            "A table whose records are kept for " + retention.toSeconds() + " s, " + threads
                                    + " callers",
                            List.of("keys", "turnover", "calls/s", "records", "bytes a record", "heap-only updates"),
                            rows,
                            List.of("Each call leads, claim first, and one thread purges in batches of " + BATCH
                                    + ", as the guide has it. Autovacuum looks every second and is otherwise as installed. A"
                                    + " turnover takes as long as a record is kept."),
                            null));
            return Machine.description(database);
        }
    }

    private static void churn(
            RecordTable table, String kind, Duration retention, int threads, Findings found, List<List<String>> rows)
            throws Exception {
        ExecutorService purging = Executors.newSingleThreadExecutor();
        try (Load load = new Load(table.leading(retention), Callers.threads(threads))) {
            Future<?> purge = purging.submit(() -> purgeUntilInterrupted(table));
            List<Double> bytes = new ArrayList<>();
            for (int turnover = 1; turnover <= TURNOVERS; turnover++) {
                BenchmarkProgress.say("churn, keys %s: turnover %d of %d".formatted(kind, turnover, TURNOVERS));
                Load.Rate rate = load.rateFromNow();
                Thread.sleep(retention.toMillis());
                double perSecond = rate.perSecond();
                long records = table.count();
                bytes.add((double) table.bytes() / records);
                rows.add(List.of(
                        kind,
                        String.valueOf(turnover),
                        Quartiles.number(perSecond, 0),
                        String.format(Locale.ROOT, "%,d", records),
                        Quartiles.number(bytes.get(turnover - 1), 0),
                        table.heapOnlyUpdates()));
                if (purge.isDone()) {
                    purge.get();
                }
            }
            load.stop();
            found.atMost(
                    BOUND,
                    "times",
                    "bytes a record at the end / at first, keys " + kind,
                    Quartiles.of(List.of(bytes.get(TURNOVERS - 1) / bytes.get(0))));
        } finally {
            purging.shutdownNow();
        }
    }

    private static Void purgeUntilInterrupted(RecordTable table) {
        try {
            while (true) {
                if (table.purge(BATCH) < BATCH) {
                    Thread.sleep(PAUSE.toMillis());
                }
            }
        } catch (InterruptedException ended) {
            return null;
        }
    }
}
