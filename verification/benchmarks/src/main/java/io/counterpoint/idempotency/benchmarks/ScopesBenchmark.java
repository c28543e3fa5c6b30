package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Findings.Table;
import io.counterpoint.idempotency.benchmarks.RecordTable.Order;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.List;
import picocli.CommandLine.Command;

/** Keys ordered by time in very many scopes, in a large table and a small one, as in most applications. */
@Command(
        name = "scopes",
        header = "Many scopes",
        description = "keys in order of time from 500 thousand scopes: 10 million records beside 10 thousand")
final class ScopesBenchmark extends Benchmark {

    private static final double BOUND = 0.95;

    @Override
    String measure(BenchmarkOptions chosen, Findings found) throws Exception {
        int threads = chosen.threads(LeaderBenchmark.RANKED_BY).get(0);
        try (PostgresServer server = Machine.startServer();
                BenchmarkDatabase database = BenchmarkDatabase.forCallers(threads, server.createDatabase())) {
            RecordTable small = filled(database, "records_few", BenchmarkOptions.SMALL_TABLE, chosen);
            RecordTable large = filled(database, "records_many", chosen.records(), chosen);
            Variant inSmall = small.variant();
            Variant inLarge = large.variant();
            Rounds rounds = new Rounds(chosen, threads, Meters.of(database));
            Comparison leading = rounds.compare(
                    "Leading with many scopes",
                    small.label(),
                    List.of(inSmall.leading(small::freshKey), inLarge.leading(large::freshKey)));
            Comparison replaying = rounds.compare(
                    "Replaying the newest with many scopes",
                    small.label(),
                    List.of(
                            inSmall.replaying(small::recentKey),
                            inLarge.replaying(large::recentKey),
                            small.select().replaying(small::recentKey),
                            large.select().replaying(large::recentKey)));
            for (Comparison comparison : List.of(leading, replaying)) {
                found.add(comparison);
                found.atLeast(BOUND, comparison, large.label(), small.label());
            }
            found.tables()
                    .add(new Table(
                            "Bytes per record",
                            List.of("table", "heap", "primary key", "expires_at"),
                            List.of(small.bytesPerRecord(), large.bytesPerRecord()),
                            List.of("Tables were loaded at once, indexes made afterwards."),
                            null));
            return Machine.description(database);
        }
    }

    /** Both tables have the same scopes, because these determine how far apart records of the same time are. */
    private static RecordTable filled(BenchmarkDatabase database, String name, long records, BenchmarkOptions chosen) {
        return RecordTable.fill(database, name, records, Order.TIME, chosen.scopes(), 1, "1 hour");
    }
}
