package io.counterpoint.idempotency.benchmarks;

import static io.counterpoint.idempotency.benchmarks.Variants.CLAIM_FIRST;
import static io.counterpoint.idempotency.benchmarks.Variants.SINGLE_PLANNED;
import static io.counterpoint.idempotency.benchmarks.Variants.UNPROTECTED;

import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.jdbc.PlainPostgreSqlDialect;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** The plain dialect beside the combined one, both on PostgreSQL: what single statements cost. */
@Command(
        name = "plain",
        mixinStandardHelpOptions = true,
        description = "on PostgreSQL: the plain dialect beside the combined one")
final class PlainBenchmark extends Benchmark {

    private static final String PLAIN = ", plain dialect";

    @Override
    Section measure(Options chosen) throws Exception {
        List<Table> tables = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        String machine = "";
        int threads = LeaderBenchmark.RANKED_BY;
        int connections = Database.connectionsFor(threads);
        String title = "Plain dialect, " + threads + " callers, pool of " + connections;
        try (PostgresServer server = Machine.startServer();
                Database database = Database.open(server.createDatabase(), connections);
                Variants variants = new Variants(database)) {
            machine = Machine.description(database);
            List<Variant> all =
                    new ArrayList<>(List.of(variants.unprotected(), variants.singlePlanned(), variants.claimFirst()));
            all.addAll(plain(database));
            Measurements measured =
                    new Rounds(title, threads, chosen.rounds(), chosen.seconds(), Meters.of(database)).lead(all);
            Comparison comparison = new Comparison(title, UNPROTECTED, all, measured, Map.of());
            tables.add(comparison.table());
            figures.addAll(comparison.figures(Map.of()));
        }
        return new Section(
                "Plain dialect", chosen.command("plain"), Machine.now(), machine, List.of(), tables, figures);
    }

    private static List<Variant> plain(Database database) {
        LibraryVariant plain = new LibraryVariant(JdbcIdempotencyStore.builder(database.pool())
                .dialect(PlainPostgreSqlDialect.create())
                .table("plain_record")
                .build()
                .createTableIfMissing());
        return List.of(
                new Variant(
                        SINGLE_PLANNED + PLAIN,
                        null,
                        "as the combined statements",
                        LibraryVariant.planned(plain.operation("plain-planned")
                                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                                .build())),
                new Variant(
                        CLAIM_FIRST + PLAIN,
                        null,
                        "as the combined statements, with a durable claim",
                        LibraryVariant.unplanned(plain.operation("plain-first").build())));
    }
}
