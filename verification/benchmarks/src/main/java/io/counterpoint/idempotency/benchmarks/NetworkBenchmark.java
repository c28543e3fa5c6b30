package io.counterpoint.idempotency.benchmarks;

import static io.counterpoint.idempotency.benchmarks.Variants.UNPROTECTED;

import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.testing.DelayingProxy;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;

/** The same with the server half a millisecond away, where round trips decide. */
@Command(
        name = "network",
        mixinStandardHelpOptions = true,
        description = "leading and replaying with a server that is 0.5 ms away, each way")
final class NetworkBenchmark extends Benchmark {

    static final Duration EACH_WAY = Duration.ofNanos(500_000);

    @Override
    Section measure(Options chosen) throws Exception {
        List<Table> tables = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        String machine = "";
        try (PostgresServer server = Machine.startServer()) {
            for (int threads : chosen.threads(LeaderBenchmark.RANKED_BY, 64)) {
                int connections = Database.connectionsFor(threads);
                String title = threads + " callers, pool of " + connections + ", 0.5 ms each way";
                try (DelayingProxy proxy = DelayingProxy.inFrontOf(server.createDatabase(), EACH_WAY);
                        Database database = Database.open(proxy.jdbcUrl(), connections);
                        Variants variants = new Variants(database)) {
                    machine = Machine.description(database) + " " + roundTrip(database);
                    Meters meters = Meters.of(database);
                    List<Variant> all = variants.mainLeaders();
                    Measurements measured = new Rounds(
                                    "Leading, " + title, threads, chosen.rounds(), chosen.seconds(), meters)
                            .lead(all);
                    Comparison leading = new Comparison("Leading, " + title, UNPROTECTED, all, measured, Map.of());
                    Comparison replaying = ReplayBenchmark.compare(
                            "Replaying, " + title,
                            variants,
                            new Rounds("Replaying, " + title, threads, chosen.rounds(), chosen.seconds(), meters),
                            Map.of());
                    tables.add(noted(leading.table()));
                    tables.add(noted(replaying.table()));
                    figures.addAll(leading.figures(Map.of()));
                    figures.addAll(replaying.figures(Map.of()));
                }
            }
        }
        return new Section(
                "With a network", chosen.command("network"), Machine.now(), machine, List.of(), tables, figures);
    }

    private static Table noted(Table table) {
        return new Table(
                table.title(),
                table.header(),
                table.rows(),
                List.of("The delay is made in the client's process: its processor time includes that."));
    }

    private static String roundTrip(Database database) throws Exception {
        List<Double> micros = new ArrayList<>();
        try (Connection connection = database.pool().getConnection();
                PreparedStatement statement = connection.prepareStatement("SELECT 1")) {
            for (int i = 0; i < 200; i++) {
                long start = System.nanoTime();
                statement.execute();
                micros.add((System.nanoTime() - start) / 1e3);
            }
        }
        return String.format(
                Locale.ROOT,
                "A round trip with nothing to do takes %.0f µs.",
                Quartiles.of(micros).median());
    }
}
