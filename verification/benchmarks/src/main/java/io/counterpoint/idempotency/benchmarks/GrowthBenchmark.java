package io.counterpoint.idempotency.benchmarks;

import static java.util.Objects.requireNonNull;

import io.counterpoint.idempotency.benchmarks.RecordTable.Order;
import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.benchmarks.Section.Target;
import io.counterpoint.idempotency.benchmarks.Section.Worst;
import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;

/** What changes when the table is large, and while old records are purged. */
@Command(
        name = "growth",
        mixinStandardHelpOptions = true,
        description = "tables of 10 thousand to 10 million records side by side, and a purge beside a load")
final class GrowthBenchmark extends Benchmark {

    private static final long MOST_PURGED = 1_000_000;
    private static final int QUICK_PART = 4;
    private static final double SIZE_BOUND = 0.9;
    private static final double PURGE_BOUND = 0.8;

    /** Between two batches. */
    private static final Duration PAUSE = Duration.ofMillis(20);

    private static final int BATCH = 500;

    @Override
    Section measure(Options chosen) throws Exception {
        List<Table> tables = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        String machine;
        int threads = chosen.threads(LeaderBenchmark.RANKED_BY).get(0);
        int connections = Database.connectionsFor(threads) + 1; // one for the purge
        String callers = ", " + threads + " callers, pool of " + connections;
        try (PostgresServer server = Machine.startServer();
                Database database = Database.open(server.createDatabase(), connections)) {
            machine = Machine.description(database);
            Map<Variant, RecordTable> sizes = new LinkedHashMap<>();
            for (long size : sizes(chosen.records())) {
                RecordTable table = RecordTable.fill(database, "records_" + size, size, Order.RANDOM, "1 hour");
                sizes.put(table.variant(), table);
            }
            String smallest = List.copyOf(sizes.values()).get(0).label();
            RecordTable whole = List.copyOf(sizes.values()).get(sizes.size() - 1);
            RecordTable ordered = RecordTable.fill(database, "records_in_order", whole.records(), Order.TIME, "1 hour");
            sizes.put(ordered.variant(), ordered);
            List<Variant> variants = List.copyOf(sizes.keySet());
            Meters meters = Meters.of(database);
            List<List<String>> storage = new ArrayList<>();
            sizes.values()
                    .forEach(table -> storage.add(new ArrayList<>(List.of(
                            table.label(),
                            String.valueOf(table.heapBytesPerRecord()),
                            String.valueOf(table.keyBytesPerRecord()),
                            String.valueOf(table.expiryBytesPerRecord())))));
            Comparison leading = compare(
                    "Leading in tables of several sizes" + callers,
                    variants,
                    title -> new Rounds(title, threads, chosen.rounds(), chosen.seconds(), meters)
                            .run(variants, variant -> requireNonNull(sizes.get(variant))::freshKey, Answer.EXECUTED));
            Map<Variant, Supplier<String>> replayed = new LinkedHashMap<>();
            sizes.forEach((variant, table) -> replayed.put(variant, table::oftenUsedKey));
            sizes.values().forEach(table -> replayed.put(table.select(), table::oftenUsedKey));
            Variant newest = sameWith(whole, "the newest of them");
            replayed.put(newest, whole::recentKey);
            Variant newestInOrder = sameWith(ordered, "the newest of them");
            replayed.put(newestInOrder, ordered::recentKey);
            replayed.put(sameWith(whole, "keys not met before"), whole::anyKey);
            List<Variant> replays = List.copyOf(replayed.keySet());
            Comparison replaying = compare(
                    "Replaying from tables of several sizes" + callers,
                    replays,
                    title -> new Rounds(title, threads, chosen.rounds(), chosen.seconds(), meters)
                            .run(replays, variant -> requireNonNull(replayed.get(variant)), Answer.REPLAYED));
            Map<String, Double> bounds = Stream.of(whole.label(), ordered.label(), newest.name(), newestInOrder.name())
                    .collect(Collectors.toMap(name -> name, name -> SIZE_BOUND));
            for (Comparison comparison : List.of(leading, replaying)) {
                tables.add(comparison.table());
                targets.add(comparison.atLeast(SIZE_BOUND, whole.label(), smallest));
                figures.addAll(comparison.figures(bounds));
            }
            targets.add(leading.atLeast(SIZE_BOUND, ordered.label(), smallest));
            targets.add(replaying.atLeast(SIZE_BOUND, newest.name(), smallest));
            targets.add(replaying.atLeast(SIZE_BOUND, newestInOrder.name(), smallest));
            int row = 0;
            for (RecordTable table : sizes.values()) {
                storage.get(row++).add(table.heapOnlyUpdates());
            }
            tables.add(new Table(
                    "Bytes per record, and marks that touched no index",
                    List.of("table", "heap", "primary key", "expires_at", "heap-only updates"),
                    storage,
                    List.of("A record has a key and a result of 36 bytes each. Tables were loaded at once, indexes made"
                            + " afterwards; the updates are those of the calls above.")));
            Purge paused = purge(database, "records_expired", PAUSE, threads, chosen);
            Purge hurried = purge(database, "records_expired_too", Duration.ZERO, threads, chosen);
            targets.add(Target.atLeast(PURGE_BOUND, "leading during a purge / before", paused.ratio()));
            figures.add(new Figure(
                    "Leading during a purge to that before", "CLAIM_FIRST", "ratio", paused.ratio(), PURGE_BOUND));
            tables.add(new Table(
                    "Purging in batches of " + BATCH + " beside calls that lead" + callers,
                    List.of("pause", "purged", "records/s", "calls/s before", "calls/s during", "ratio"),
                    List.of(
                            paused.row(PAUSE.toMillis() + " ms, as in the guide"),
                            hurried.row("none, which the guide does not advise")),
                    List.of("One thread purges by turns: a while with, a while without."),
                    Worst.less(5, 2)));
        }
        return new Section("Growth", chosen.command("growth"), Machine.now(), machine, targets, tables, figures);
    }

    /** A small table, the largest, and one between them. */
    private static List<Long> sizes(long largest) {
        return Stream.of(Options.SMALL_TABLE, largest / 10, largest)
                .filter(size -> size >= Options.SMALL_TABLE)
                .distinct()
                .toList();
    }

    private static Comparison compare(String title, List<Variant> variants, Measuring measuring) throws Exception {
        return new Comparison(title, variants.get(0).name(), variants, measuring.measure(title), Map.of());
    }

    /** The same as of the table, with other keys of it. */
    private static Variant sameWith(RecordTable table, String keys) {
        Variant any = table.variant();
        return new Variant(any.name() + ", " + keys, null, any.guarantee(), any.action());
    }

    private interface Measuring {
        Measurements measure(String title) throws Exception;
    }

    /** Purges by turns: a while without, a while with, so that what disturbs both cancels out. */
    private static Purge purge(Database database, String name, Duration pause, int threads, Options chosen)
            throws Exception {
        long expired = Math.min(MOST_PURGED, chosen.records() / (chosen.quick() ? QUICK_PART : 1));
        RecordTable table = RecordTable.fill(database, name, expired, Order.RANDOM, "2 days");
        List<Double> before = new ArrayList<>();
        List<Double> during = new ArrayList<>();
        long purged = 0;
        double purging = 0;
        try (Load load = Load.start(table.variant(), threads, Keys::fresh, Answer.EXECUTED)) {
            Thread.sleep(1000);
            while (purged < expired) {
                Progress.say("purging beside a load: %,d of %,d".formatted(purged, expired));
                Load.Rate quiet = load.rateFromNow();
                Thread.sleep((long) (chosen.seconds() * 1000));
                double without = quiet.perSecond();
                Load.Rate busy = load.rateFromNow();
                long start = System.nanoTime();
                long end = start + (long) (chosen.seconds() * 1e9);
                long deleted = 0;
                int last = BATCH;
                while (last == BATCH && System.nanoTime() < end) {
                    last = table.purge(BATCH);
                    deleted += last;
                    Thread.sleep(pause.toMillis());
                }
                double with = busy.perSecond();
                boolean whole = System.nanoTime() >= end;
                purging += (System.nanoTime() - start) / 1e9;
                purged += deleted;
                if (deleted == 0) {
                    throw new IllegalStateException("a purge of expired records deletes none after " + purged);
                }
                // A shorter turn is the last, and too short to tell.
                if (whole) {
                    before.add(without);
                    during.add(with);
                }
            }
            load.stop();
        }
        return new Purge(before, during, purged, purging);
    }

    private record Purge(List<Double> before, List<Double> during, long purged, double seconds) {

        Quartiles ratio() {
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < before.size(); i++) {
                ratios.add(during.get(i) / before.get(i));
            }
            return Quartiles.of(ratios);
        }

        List<String> row(String pause) {
            return List.of(
                    pause,
                    String.format(Locale.ROOT, "%,d", purged),
                    String.format(Locale.ROOT, "%.0f", purged / seconds),
                    Quartiles.of(before).text(0),
                    Quartiles.of(during).text(0),
                    ratio().text(2));
        }
    }
}
