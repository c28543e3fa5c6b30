package io.counterpoint.idempotency.benchmarks;

import static java.util.Objects.requireNonNull;

import io.counterpoint.idempotency.benchmarks.RecordTable.Order;
import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.benchmarks.Section.Target;
import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine.Command;

/** Keys in order of time from very many scopes, in a large table beside a small one: what most applications have. */
@Command(
        name = "scopes",
        mixinStandardHelpOptions = true,
        description = "keys in order of time from 500 thousand scopes: 10 million records beside 10 thousand")
final class ScopesBenchmark extends Benchmark {

    private static final double BOUND = 0.95;

    @Override
    Section measure(Options chosen) throws Exception {
        List<Table> tables = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        String machine;
        int threads = chosen.threads(LeaderBenchmark.RANKED_BY).get(0);
        int connections = Database.connectionsFor(threads);
        String callers = ", " + threads + " callers, pool of " + connections;
        try (PostgresServer server = Machine.startServer();
                Database database = Database.open(server.createDatabase(), connections)) {
            machine = Machine.description(database);
            RecordTable small = filled(database, "records_few", Options.SMALL_TABLE, chosen);
            RecordTable large = filled(database, "records_many", chosen.records(), chosen);
            Map<Variant, RecordTable> sizes = new LinkedHashMap<>();
            sizes.put(small.variant(), small);
            sizes.put(large.variant(), large);
            List<Variant> variants = List.copyOf(sizes.keySet());
            Meters meters = Meters.of(database);
            Comparison leading = measured(
                    "Leading with many scopes" + callers, threads, chosen, meters, variants, Answer.EXECUTED, sizes);
            Map<Variant, RecordTable> replayed = new LinkedHashMap<>(sizes);
            replayed.put(small.select(), small);
            replayed.put(large.select(), large);
            Comparison replaying = measured(
                    "Replaying the newest with many scopes" + callers,
                    threads,
                    chosen,
                    meters,
                    List.copyOf(replayed.keySet()),
                    Answer.REPLAYED,
                    replayed);
            for (Comparison comparison : List.of(leading, replaying)) {
                tables.add(comparison.table());
                targets.add(comparison.atLeast(BOUND, large.label(), small.label()));
                figures.addAll(comparison.figures(Map.of(large.label(), BOUND)));
            }
            tables.add(new Table(
                    "Bytes per record",
                    List.of("table", "heap", "primary key", "expires_at"),
                    sizes.values().stream().map(ScopesBenchmark::bytes).toList(),
                    List.of("Tables were loaded at once, indexes made afterwards.")));
        }
        return new Section("Many scopes", chosen.command("scopes"), Machine.now(), machine, targets, tables, figures);
    }

    /** Both have records of the same scopes, which decide how far apart the records of one moment are. */
    private static RecordTable filled(Database database, String name, long records, Options chosen) {
        return RecordTable.fill(database, name, records, Order.TIME, chosen.scopes(), "1 hour");
    }

    private static Comparison measured(
            String title,
            int threads,
            Options chosen,
            Meters meters,
            List<Variant> variants,
            Answer expected,
            Map<Variant, RecordTable> tables)
            throws Exception {
        Rounds rounds = new Rounds(title, threads, chosen.rounds(), chosen.seconds(), meters);
        Measurements measured =
                rounds.run(variants, variant -> keys(requireNonNull(tables.get(variant)), expected), expected);
        return new Comparison(title, variants.get(0).name(), variants, measured, Map.of());
    }

    private static Supplier<String> keys(RecordTable table, Answer expected) {
        return expected == Answer.EXECUTED ? table::freshKey : table::recentKey;
    }

    private static List<String> bytes(RecordTable table) {
        return List.of(
                table.label(),
                String.valueOf(table.heapBytesPerRecord()),
                String.valueOf(table.keyBytesPerRecord()),
                String.valueOf(table.expiryBytesPerRecord()));
    }
}
