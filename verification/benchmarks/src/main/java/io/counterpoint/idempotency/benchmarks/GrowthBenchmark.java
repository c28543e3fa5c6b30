package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Findings.Table;
import io.counterpoint.idempotency.benchmarks.Findings.Worst;
import io.counterpoint.idempotency.benchmarks.RecordTable.Order;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.Command;

/** What changes if the table is large, and while old records are purged. */
@Command(
        name = "growth",
        header = "Growth",
        description = "tables of 10 thousand to 10 million records side by side, and a purge beside a load")
final class GrowthBenchmark extends Benchmark {

    private static final long MOST_PURGED = 1_000_000;
    private static final int QUICK_PART = 4;
    private static final double SIZE_BOUND = 0.9;
    private static final double PURGE_BOUND = 0.8;
    private static final int PARTITIONS = 4;
    private static final int BATCH = 500;

    /** The pause between two batches. */
    private static final Duration PAUSE = Duration.ofMillis(20);

    @Override
    String measure(BenchmarkOptions chosen, Findings found) throws Exception {
        int threads = chosen.threads(LeaderBenchmark.RANKED_BY).get(0);
        int connections = BenchmarkDatabase.connectionsFor(threads) + 1; // one for the purge
        try (PostgresServer server = Machine.startServer();
                BenchmarkDatabase database = BenchmarkDatabase.open(server.createDatabase(), connections)) {
            compareSizes(database, threads, chosen, found);
            Purge paused = purge(database, "records_expired", PAUSE, threads, chosen);
            Purge hurried = purge(database, "records_expired_too", Duration.ZERO, threads, chosen);
            found.atLeast(PURGE_BOUND, "leading during a purge / before", paused.ratio());
            found.add("Leading during a purge to that before", "CLAIM_FIRST", "ratio", paused.ratio());
            found.tables()
                    .add(new Table(
                            "Purging in batches of " + BATCH + " beside calls that lead, " + threads
                                    + " callers, pool of " + connections,
                            List.of("pause", "purged", "records/s", "calls/s before", "calls/s during", "ratio"),
                            List.of(
                                    paused.row(PAUSE.toMillis() + " ms, as in the guide"),
                                    hurried.row("none, which the guide does not advise")),
                            List.of("One thread purges by turns: a while with, a while without."),
                            Worst.less(5, 2)));
            return Machine.description(database);
        }
    }

    private static void compareSizes(BenchmarkDatabase database, int threads, BenchmarkOptions chosen, Findings found)
            throws Exception {
        List<RecordTable> tables = new ArrayList<>();
        for (long size : sizes(chosen.records())) {
            tables.add(RecordTable.fill(database, "records_" + size, size, Order.RANDOM, "1 hour"));
        }
        RecordTable smallest = tables.get(0);
        RecordTable whole = tables.get(tables.size() - 1);
        RecordTable ordered = RecordTable.fill(database, "records_in_order", chosen.records(), Order.TIME, "1 hour");
        tables.add(ordered);
        tables.add(RecordTable.fill(
                database, "records_in_parts", chosen.records(), Order.RANDOM, 1, PARTITIONS, "1 hour"));
        List<List<String>> storage =
                tables.stream().map(RecordTable::bytesPerRecord).toList();
        List<Variant> leaders = new ArrayList<>();
        List<Variant> replays = new ArrayList<>();
        for (RecordTable table : tables) {
            Variant variant = table.variant();
            leaders.add(variant.leading(table::freshKey));
            replays.add(variant.replaying(table::oftenUsedKey));
        }
        tables.forEach(table -> replays.add(table.select().replaying(table::oftenUsedKey)));
        Variant newest = whole.variant(", the newest of them").replaying(whole::recentKey);
        Variant newestInOrder = ordered.variant(", the newest of them").replaying(ordered::recentKey);
        replays.add(newest);
        replays.add(newestInOrder);
        replays.add(whole.variant(", keys not met before").replaying(whole::anyKey));
        Rounds rounds = new Rounds(chosen, threads, Meters.of(database));
        Comparison leading = rounds.compare("Leading in tables of several sizes", smallest.label(), leaders);
        Comparison replaying = rounds.compare("Replaying from tables of several sizes", smallest.label(), replays);
        found.add(leading);
        found.add(replaying);
        for (String name : List.of(whole.label(), ordered.label())) {
            found.atLeast(SIZE_BOUND, leading, name, smallest.label());
        }
        for (String name : List.of(whole.label(), newest.name(), newestInOrder.name())) {
            found.atLeast(SIZE_BOUND, replaying, name, smallest.label());
        }
        for (int i = 0; i < tables.size(); i++) {
            storage.get(i).add(tables.get(i).heapOnlyUpdates());
        }
        found.tables()
                .add(new Table(
                        "Bytes per record, and marks that touched no index",
                        List.of("table", "heap", "primary key", "expires_at", "heap-only updates"),
                        storage,
                        List.of("A record has a key and a result of 36 bytes each. Tables were loaded at once, indexes"
                                + " made afterwards; the updates are those of the calls above."),
                        null));
    }

    /** The sizes: a small table, the largest, and one in between. */
    private static List<Long> sizes(long largest) {
        return Stream.of(BenchmarkOptions.SMALL_TABLE, largest / 10, largest)
                .filter(size -> size >= BenchmarkOptions.SMALL_TABLE)
                .distinct()
                .toList();
    }

    /** Alternates periods with and without a purge, so that disturbances of both cancel out. */
    private static Purge purge(
            BenchmarkDatabase database, String name, Duration pause, int threads, BenchmarkOptions chosen)
            throws Exception {
        long expired = Math.min(MOST_PURGED, chosen.records() / (chosen.quick() ? QUICK_PART : 1));
        RecordTable table = RecordTable.fill(database, name, expired, Order.RANDOM, "2 days");
        List<Double> before = new ArrayList<>();
        List<Double> during = new ArrayList<>();
        long purged = 0;
        double purging = 0;
        try (Load load = new Load(table.variant(), Callers.threads(threads))) {
            Thread.sleep(1000);
            while (purged < expired) {
                BenchmarkProgress.say("purging beside a load: %,d of %,d".formatted(purged, expired));
                Load.Rate quiet = load.rateFromNow();
                Thread.sleep((long) (chosen.seconds() * 1000));
                double without = quiet.perSecond();
                Load.Rate busy = load.rateFromNow();
                long start = System.nanoTime();
                long deleted = purgeFor(table, pause, chosen.seconds());
                double with = busy.perSecond();
                double took = (System.nanoTime() - start) / 1e9;
                purging += took;
                purged += deleted;
                if (deleted == 0) {
                    throw new IllegalStateException("a purge of expired records deletes none after " + purged);
                }
                // A shorter period is the last one, and too short to be meaningful.
                if (took >= chosen.seconds()) {
                    before.add(without);
                    during.add(with);
                }
            }
            load.stop();
        }
        return new Purge(before, during, purged, purging);
    }

    private static long purgeFor(RecordTable table, Duration pause, double seconds) throws InterruptedException {
        long end = System.nanoTime() + (long) (seconds * 1e9);
        long deleted = 0;
        for (int last = BATCH; last == BATCH && System.nanoTime() < end; deleted += last) {
            last = table.purge(BATCH);
            Thread.sleep(pause.toMillis());
        }
        return deleted;
    }

    private record Purge(List<Double> before, List<Double> during, long purged, double seconds) {

        Quartiles ratio() {
            return Quartiles.of(Measurements.quotients(during, before));
        }

        List<String> row(String pause) {
            return List.of(
                    pause,
                    String.format(Locale.ROOT, "%,d", purged),
                    Quartiles.number(purged / seconds, 0),
                    Quartiles.of(before).text(0),
                    Quartiles.of(during).text(0),
                    ratio().text(2));
        }
    }
}
