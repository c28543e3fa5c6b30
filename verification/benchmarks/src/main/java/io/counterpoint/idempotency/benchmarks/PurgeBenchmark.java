package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.RecordTable.Order;
import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.benchmarks.Section.Target;
import io.counterpoint.idempotency.benchmarks.Section.Worst;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;

/** A purge of tables so small that the server may prefer to read them whole, with nothing beside it. */
@Command(
        name = "purge",
        mixinStandardHelpOptions = true,
        description = "a purge of small tables: microseconds a record")
final class PurgeBenchmark extends Benchmark {

    private static final List<Long> SIZES = List.of(10_000L, 50_000L);
    private static final List<Long> QUICK_SIZES = List.of(1_000L);
    private static final int BATCH = 500;

    /** A fifth of what a batch took that began with a scan of the table. */
    private static final double MICROS = 10.2;

    @Override
    Section measure(Options chosen) throws Exception {
        List<List<String>> rows = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        String machine;
        try (PostgresServer server = Machine.startServer();
                Database database = Database.open(server.createDatabase(), 2)) {
            machine = Machine.description(database);
            for (long size : chosen.quick() ? QUICK_SIZES : chosen.isBrief() ? SIZES.subList(0, 1) : SIZES) {
                List<Double> micros = new ArrayList<>();
                for (int round = 0; round <= chosen.rounds(); round++) {
                    double taken = microsPerRecord(database, "records_" + size + "_" + round, size);
                    if (round > 0) {
                        micros.add(taken);
                    }
                }
                Quartiles record = Quartiles.of(micros);
                String what = String.format(Locale.ROOT, "purge of %,d records", size);
                rows.add(List.of(what, record.text(1)));
                targets.add(Target.atMost(MICROS, "µs a record", what, record));
                figures.add(new Figure("Purging", what, "µs/record", record, MICROS));
            }
        }
        Table table = new Table(
                "Purging small tables in batches of " + BATCH,
                List.of("purge", "µs a record"),
                rows,
                List.of("All records are expired, one thread purges, and nobody else calls."),
                Worst.more(1));
        return new Section(
                "Purging", chosen.command("purge"), Machine.now(), machine, targets, List.of(table), figures);
    }

    /** Purges a new table. */
    static double microsPerRecord(Database database, String name, long records) {
        RecordTable table = RecordTable.fill(database, name, records, Order.RANDOM, "2 days");
        long start = System.nanoTime();
        long purged = 0;
        for (int last = BATCH; last == BATCH; purged += last) {
            last = table.purge(BATCH);
        }
        double micros = (System.nanoTime() - start) / 1e3;
        if (purged != records) {
            throw new IllegalStateException(
                    "a purge of " + records + " expired records deleted " + purged + " of them");
        }
        database.execute("DROP TABLE " + name);
        return micros / records;
    }
}
