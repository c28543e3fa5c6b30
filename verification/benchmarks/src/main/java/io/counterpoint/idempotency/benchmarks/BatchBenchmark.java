package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.benchmarks.Section.Target;
import io.counterpoint.idempotency.benchmarks.Section.Worst;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Command;

/** Attempts in batches beside the same attempts one by one: one caller, whose work inserts one row for each attempt. */
@Command(
        name = "batch",
        mixinStandardHelpOptions = true,
        description = "batches of 100 and 500 attempts beside one call after the other")
final class BatchBenchmark extends Benchmark {

    private static final int HUNDRED = 100;
    private static final int FIVE_HUNDRED = 500;
    private static final int TENTH = 10;

    private static final String ONE_BY_ONE = "one call after the other";
    private static final String BATCH_100 = "batches of 100";
    private static final String BATCH_500 = "batches of 500";
    private static final String DUPLICATES = "batches of 100, a tenth known";
    private static final String SEPARATE_WORK = "batches of 100, work one by one";
    private static final String REDELIVERED = "batches of 500, all known";
    private static final String UNPROTECTED = "batches of 500, unprotected";

    private static final String INSERT = "INSERT INTO batch_effect (id) VALUES (?)";

    /** Of the calls of a second one by one. */
    private static final Map<String, Double> BOUNDS = Map.of(BATCH_100, 6.0, BATCH_500, 8.0);

    private static final double REDELIVERED_BOUND = 5;

    @Override
    Section measure(Options chosen) throws Exception {
        try (PostgresServer server = Machine.startServer();
                Database database = Database.open(server.createDatabase(), 2)) {
            database.execute("CREATE TABLE batch_effect (id text NOT NULL)");
            Map<String, Run> variants = variants(database);
            Map<String, List<Double>> rates = new LinkedHashMap<>();
            Map<String, List<Double>> ratios = new LinkedHashMap<>();
            List<Double> redelivered = new ArrayList<>();
            for (int round = 0; round <= chosen.rounds(); round++) {
                Map<String, Double> now = new LinkedHashMap<>();
                for (Map.Entry<String, Run> variant : variants.entrySet()) {
                    now.put(variant.getKey(), attemptsPerSecond(variant.getValue(), chosen.seconds()));
                }
                if (round > 0) {
                    double base = now.getOrDefault(ONE_BY_ONE, Double.NaN);
                    now.forEach((name, rate) -> {
                        rates.computeIfAbsent(name, unused -> new ArrayList<>()).add(rate);
                        ratios.computeIfAbsent(name, unused -> new ArrayList<>())
                                .add(rate / base);
                    });
                    redelivered.add(now.getOrDefault(REDELIVERED, Double.NaN) / now.getOrDefault(BATCH_500, 1.0));
                }
            }
            return section(chosen, Machine.description(database), rates, ratios, Quartiles.of(redelivered));
        }
    }

    private static Section section(
            Options chosen,
            String machine,
            Map<String, List<Double>> rates,
            Map<String, List<Double>> ratios,
            Quartiles redelivered) {
        List<List<String>> rows = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        rates.forEach((name, measured) -> {
            Quartiles ratio = Quartiles.of(ratios.getOrDefault(name, List.of()));
            double bound = BOUNDS.getOrDefault(name, 0.0);
            rows.add(List.of(name, Quartiles.of(measured).text(0), ratio.text(2)));
            figures.add(new Figure("Batches", name, "ratio", ratio, bound));
            if (bound > 0) {
                targets.add(Target.atLeast(bound, name + " / " + ONE_BY_ONE, ratio));
            }
        });
        targets.add(Target.atLeast(REDELIVERED_BOUND, REDELIVERED + " / " + BATCH_500, redelivered));
        Table table = new Table(
                "Batches, 1 caller",
                List.of("attempts", "attempts/s", "ratio to one by one"),
                rows,
                List.of(
                        "The work inserts one row for each attempt: in a batch by one JDBC batch, if nothing else is said."),
                Worst.less(2));
        return new Section(
                "Batches", chosen.command("batch"), Machine.now(), machine, targets, List.of(table), figures);
    }

    private static Map<String, Run> variants(Database database) {
        JdbcIdempotencyStore store = JdbcIdempotencyStore.on(database.pool()).createTableIfMissing();
        Operation<Connection, String> operation = Idempotency.on(store)
                .operation("batch", ResultCodec.string())
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .build();
        Batch<Connection, String> batch = Batch.inOneTransaction(operation);
        List<Attempt> known = fresh(FIVE_HUNDRED);
        expect(FIVE_HUNDRED, batch.executeAll(known, BatchBenchmark::insertAll));
        Map<String, Run> variants = new LinkedHashMap<>();
        variants.put(ONE_BY_ONE, () -> {
            Outcome<String> outcome = operation.execute(fresh(), connection -> {
                insert(connection);
                return "done";
            });
            return outcome.asOptional().isPresent() ? 1 : 0;
        });
        variants.put(BATCH_100, () -> expect(HUNDRED, batch.executeAll(fresh(HUNDRED), BatchBenchmark::insertAll)));
        variants.put(
                BATCH_500,
                () -> expect(FIVE_HUNDRED, batch.executeAll(fresh(FIVE_HUNDRED), BatchBenchmark::insertAll)));
        variants.put(DUPLICATES, () -> {
            List<Attempt> mixed = new ArrayList<>(fresh(HUNDRED - TENTH));
            for (int i = 0; i < TENTH; i++) {
                mixed.add(i * TENTH, known.get(i));
            }
            return expect(HUNDRED, batch.executeAll(mixed, BatchBenchmark::insertAll));
        });
        variants.put(
                SEPARATE_WORK,
                () -> expect(HUNDRED, batch.executeEach(fresh(HUNDRED), (connection, attempt) -> {
                    insert(connection);
                    return "done";
                })));
        variants.put(REDELIVERED, () -> expect(FIVE_HUNDRED, batch.executeAll(known, BatchBenchmark::insertAll)));
        variants.put(UNPROTECTED, () -> insertUnprotected(database));
        return variants;
    }

    private static List<String> insertAll(Connection connection, List<?> leading) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            for (int i = 0; i < leading.size(); i++) {
                statement.setString(1, Keys.fresh());
                statement.addBatch();
            }
            statement.executeBatch();
        }
        return Stream.generate(() -> "done").limit(leading.size()).toList();
    }

    private static void insert(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            statement.setString(1, Keys.fresh());
            statement.executeUpdate();
        }
    }

    private static int insertUnprotected(Database database) throws SQLException {
        try (Connection connection = database.pool().getConnection()) {
            connection.setAutoCommit(false);
            int inserted = insertAll(connection, fresh(FIVE_HUNDRED)).size();
            connection.commit();
            connection.setAutoCommit(true);
            return inserted;
        }
    }

    private static Attempt fresh() {
        return Attempt.in("user:1").key(Keys.fresh()).request(Domain.GROUP_NAME);
    }

    private static List<Attempt> fresh(int attempts) {
        return Stream.generate(BatchBenchmark::fresh).limit(attempts).toList();
    }

    private static int expect(int attempts, List<BatchResult<String>> answers) {
        long results = answers.stream()
                .flatMap(answer -> answer.asOptional().flatMap(Outcome::asOptional).stream())
                .count();
        if (results != attempts) {
            throw new IllegalStateException("a batch of " + attempts + " attempts has " + results + " results");
        }
        return attempts;
    }

    private static double attemptsPerSecond(Run run, double seconds) throws Exception {
        long start = System.nanoTime();
        long attempts = 0;
        double taken;
        do {
            attempts += run.once();
            taken = (System.nanoTime() - start) / 1e9;
        } while (taken < seconds);
        return attempts / taken;
    }

    /** Executes some attempts, and returns how many. */
    private interface Run {
        int once() throws Exception;
    }
}
