package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.testing.MariaDbServer;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine.Command;

/**
 * Attempts in batches, compared with the same attempts one by one. There is one caller, whose work inserts one row per
 * attempt; in a batch it uses one JDBC batch unless stated otherwise. Each attempt counts as a call.
 */
@Command(
        name = "batch",
        header = "Batches",
        description = "batches beside one call after the other, and beside the same work unprotected")
final class BatchBenchmark extends Benchmark {

    private static final int HUNDRED = 100;
    private static final int FIVE_HUNDRED = 500;
    private static final int TENTH = 10;

    private static final String ONE_BY_ONE = "one call after the other";
    private static final String BATCH_100 = "batches of 100";
    private static final String BATCH_500 = "batches of 500";
    private static final String REDELIVERED = "batches of 500, all known";

    private static final String INSERT = "INSERT INTO batch_effect (id) VALUES (?)";

    /** The minimum ratio to the calls per second one by one. */
    private static final Map<String, Double> BOUNDS = Map.of(BATCH_100, 6.0, BATCH_500, 8.0);

    private static final double REDELIVERED_BOUND = 5;

    private static final List<Integer> SIZES = List.of(10, 100, 1000, 10_000);
    private static final int RANKED_BY = 1000;
    private static final double OF_UNPROTECTED = 0.45;

    private static final String UNPROTECTED = "unprotected";
    private static final String RECORD_LAST = "record last";

    @Override
    String measure(BenchmarkOptions chosen, Findings found) throws Exception {
        try (PostgresServer server = Machine.startServer();
                BenchmarkDatabase database = BenchmarkDatabase.forCallers(1, server.createDatabase())) {
            database.execute("CREATE TABLE batch_effect (id text NOT NULL)");
            Comparison comparison =
                    new Rounds(chosen, 1, Meters.of(database)).compare("Batches", ONE_BY_ONE, variants(database));
            found.add(comparison);
            compareSizes(chosen, found, database, "");
            compareSizesElsewhere(chosen, found);
            BOUNDS.forEach((name, bound) -> found.atLeast(bound, comparison, name, ONE_BY_ONE));
            found.atLeast(REDELIVERED_BOUND, comparison, REDELIVERED, BATCH_500);
            return Machine.description(database);
        }
    }

    private static void compareSizesElsewhere(BenchmarkOptions chosen, Findings found) throws Exception {
        try (MariaDbServer server = MariaDbServer.start(MariaDbBenchmark.SETTINGS);
                BenchmarkDatabase database =
                        BenchmarkDatabase.forCallers(1, server.createDatabase() + MariaDbVariants.DRIVER)) {
            compareSizes(chosen, found, database, ", MariaDB");
        }
        try (BenchmarkDatabase database =
                BenchmarkDatabase.forCallers(1, "jdbc:h2:mem:batches;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=2000")) {
            compareSizes(chosen, found, database, ", H2 in memory");
        }
    }

    private static void compareSizes(BenchmarkOptions chosen, Findings found, BenchmarkDatabase database, String place)
            throws Exception {
        JdbcIdempotencyStore store = JdbcIdempotencyStore.builder(database.pool())
                .table(schemaOf(database) + ".idempotency_record")
                .build()
                .createTableIfMissing();
        store.checkTable();
        for (int size : SIZES) {
            Comparison sized = new Rounds(chosen, 1, Meters.ofClient(database))
                    .warm()
                    .compare("Batches of " + size + place, UNPROTECTED, variants(database, store, size));
            found.add(sized);
            if (size == RANKED_BY && place.isEmpty()) {
                found.atLeast(OF_UNPROTECTED, sized, RECORD_LAST, UNPROTECTED);
            }
        }
    }

    private static String schemaOf(BenchmarkDatabase database) throws SQLException {
        try (Connection connection = database.pool().getConnection()) {
            return Optional.ofNullable(connection.getSchema()).orElse(connection.getCatalog());
        }
    }

    private static List<Variant> variants(BenchmarkDatabase database) {
        JdbcIdempotencyStore store = JdbcIdempotencyStore.on(database.pool()).createTableIfMissing();
        Operation<Connection, String> operation = Idempotency.on(store)
                .operation("batch", ResultCodec.string())
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .build();
        Batch<Connection, String> batch = Batch.inOneTransaction(operation);
        List<Attempt> known = fresh(FIVE_HUNDRED);
        expect(FIVE_HUNDRED, batch.executeAll(known, BatchBenchmark::insertAll));
        return List.of(
                variant(
                        ONE_BY_ONE,
                        1,
                        () -> operation.execute(fresh(), BatchBenchmark::insert).orElseThrow()),
                jointly(batch, BATCH_100, HUNDRED, () -> fresh(HUNDRED)),
                jointly(batch, BATCH_500, FIVE_HUNDRED, () -> fresh(FIVE_HUNDRED)),
                jointly(batch, "batches of 100, a tenth known", HUNDRED, () -> {
                    List<Attempt> mixed = new ArrayList<>(fresh(HUNDRED - TENTH));
                    for (int i = 0; i < TENTH; i++) {
                        mixed.add(i * TENTH, known.get(i));
                    }
                    return mixed;
                }),
                variant("batches of 100, work one by one", HUNDRED, () -> {
                    var answers = batch.executeEach(fresh(HUNDRED), (connection, attempt) -> insert(connection));
                    expect(HUNDRED, answers);
                }),
                jointly(batch, REDELIVERED, FIVE_HUNDRED, () -> known),
                variant(
                        "batches of 500, unprotected",
                        FIVE_HUNDRED,
                        () -> unprotected(
                                database,
                                connection -> insertAll(connection, Collections.nCopies(FIVE_HUNDRED, "attempt")))));
    }

    /**
     * Each protocol in batches of one size, with the same work unprotected: one group per attempt, in three JDBC
     * batches.
     */
    private static List<Variant> variants(BenchmarkDatabase database, JdbcIdempotencyStore store, int size) {
        return List.of(
                variant(
                        UNPROTECTED,
                        size,
                        () -> unprotected(database, connection -> Domain.createGroups(connection, size))),
                sized(store, "single transaction", Operation.Protocol.SINGLE_TRANSACTION, size),
                sized(store, RECORD_LAST, Operation.Protocol.RECORD_LAST, size));
    }

    private static Variant sized(JdbcIdempotencyStore store, String name, Operation.Protocol protocol, int size) {
        Operation<Connection, String> operation = Idempotency.on(store)
                .operation("batch", ResultCodec.string())
                .protocol(protocol)
                .build();
        Batch<Connection, String> batch = Batch.inOneTransaction(operation).maxAttempts(size);
        return variant(
                name,
                size,
                () -> expect(size, batch.executeAll(fresh(size), (connection, leading) -> {
                    Domain.createGroups(connection, leading.size());
                    return done(leading);
                })));
    }

    private static Variant jointly(
            Batch<Connection, String> batch, String name, int size, Supplier<List<Attempt>> attempts) {
        return variant(name, size, () -> expect(size, batch.executeAll(attempts.get(), BatchBenchmark::insertAll)));
    }

    /** Uses keys of its own. */
    private static Variant variant(String name, int attempts, Run run) {
        return new Variant(
                name,
                null,
                "",
                key -> {
                    run.once();
                    return Answer.EXECUTED;
                },
                () -> "",
                Answer.EXECUTED,
                attempts);
    }

    private static List<String> insertAll(Connection connection, List<?> leading) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            for (int i = 0; i < leading.size(); i++) {
                statement.setString(1, Keys.fresh());
                statement.addBatch();
            }
            statement.executeBatch();
        }
        return done(leading);
    }

    private static List<String> done(List<?> leading) {
        return Collections.nCopies(leading.size(), "done");
    }

    private static String insert(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            statement.setString(1, Keys.fresh());
            statement.executeUpdate();
            return "done";
        }
    }

    private static void unprotected(BenchmarkDatabase database, Work work) throws SQLException {
        try (Connection connection = database.pool().getConnection()) {
            connection.setAutoCommit(false);
            work.on(connection);
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    /** Writes to the domain. */
    private interface Work {
        void on(Connection connection) throws SQLException;
    }

    private static Attempt fresh() {
        return LibraryVariant.attempt(Keys.fresh());
    }

    private static List<Attempt> fresh(int attempts) {
        return Stream.generate(BatchBenchmark::fresh).limit(attempts).toList();
    }

    private static void expect(int attempts, List<BatchResult<String>> answers) {
        long results = answers.stream()
                .flatMap(answer -> answer.asOptional().flatMap(Outcome::asOptional).stream())
                .count();
        if (results != attempts) {
            throw new IllegalStateException("a batch of " + attempts + " attempts has " + results + " results");
        }
    }

    /** Executes a number of attempts. */
    private interface Run {
        void once() throws Exception;
    }
}
