package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Findings.Table;
import io.counterpoint.idempotency.benchmarks.Findings.Worst;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;

/** Purges tables that are so small that the server may prefer a sequential scan, without any other load. */
@Command(name = "purge", header = "Purging", description = "a purge of small tables: microseconds a record")
final class PurgeBenchmark extends Benchmark {

    private static final List<Long> SIZES = List.of(10_000L, 50_000L);
    private static final List<Long> QUICK_SIZES = List.of(1_000L);

    /** A fifth of the time per record of a batch that started with a table scan. */
    private static final double MICROS = 10.2;

    @Override
    String measure(BenchmarkOptions chosen, Findings found) throws Exception {
        List<List<String>> rows = new ArrayList<>();
        String machine;
        try (PostgresServer server = Machine.startServer()) {
            String url = server.createDatabase();
            try (BenchmarkDatabase database = BenchmarkDatabase.open(url, 2)) {
                machine = Machine.description(database);
            }
            for (long size : chosen.quick() ? QUICK_SIZES : chosen.isBrief() ? SIZES.subList(0, 1) : SIZES) {
                String what = String.format(Locale.ROOT, "purge of %,d records", size);
                BenchmarkProgress.say(what);
                Quartiles record = microsPerRecord(url, size, chosen.rounds(), 1);
                rows.add(List.of(what, record.text(1)));
                found.atMost(MICROS, "µs a record", what, record);
                found.add("Purging", what, "µs/record", record);
            }
        }
        found.tables()
                .add(new Table(
                        "Purging small tables in batches of " + PurgeCalls.BATCH,
                        List.of("purge", "µs a record"),
                        rows,
                        List.of("All records are expired, one thread purges, and nobody else calls."),
                        Worst.more(1)));
        return machine;
    }

    static Quartiles microsPerRecord(String url, long records, int purges, int forks) throws RunnerException {
        return Jmh.run(Jmh.options(PurgeCalls.class, "purge")
                        .param("url", url)
                        .param("records", String.valueOf(records))
                        .measurementIterations(purges)
                        .forks(forks))
                .time()
                .by(1.0 / records);
    }
}
