package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.trial.FaultInjection.Effects;
import io.counterpoint.idempotency.trial.FaultInjection.InAnotherProcess;
import io.counterpoint.idempotency.trial.FaultInjection.Pause;
import io.counterpoint.idempotency.trial.FaultInjection.UseCase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A use case whose mistake is known.
 *
 * @param fault what kind of fault it has
 * @param mistake what is wrong
 * @param useCase the use case
 * @param queries how its effects are counted in the database
 * @param outside counts those outside of it
 * @param late what lets time pass, if clients retry late
 * @param process the use case for a process that is killed
 */
record Planted(
        String fault,
        String mistake,
        UseCase useCase,
        List<String> queries,
        @Nullable Effects outside,
        @Nullable Function<DataSource, Pause> late,
        @Nullable Class<? extends InAnotherProcess> process) {

    static final String PAY = "INSERT INTO payment (reference, id) VALUES (?, ?)";
    static final String RECEIPT = "SELECT id FROM payment WHERE reference = ?";
    static final String LEDGER = "INSERT INTO ledger (reference) VALUES (?)";

    private static final String LEDGERS = "SELECT count(*) FROM ledger WHERE reference = ?";

    static Planted of(String fault, String mistake, UseCase useCase) {
        return new Planted(fault, mistake, useCase, List.of(Payments.COUNT), null, null, null);
    }

    /** Answers a request with a key, through the operation or without it. */
    interface Handler {
        Object answer(DataSource source, Operation<Connection, String> pay, String key) throws Exception;
    }

    static Planted of(String fault, String mistake, Handler handler) {
        return of(fault, mistake, source -> {
            Operation<Connection, String> pay = operation(source);
            return key -> handler.answer(source, pay, key);
        });
    }

    Planted withLedger() {
        return new Planted(fault, mistake, useCase, List.of(Payments.COUNT, LEDGERS), outside, late, process);
    }

    Planted counting(String query) {
        return new Planted(fault, mistake, useCase, List.of(query), outside, late, process);
    }

    Planted with(Effects count) {
        return new Planted(fault, mistake, useCase, queries, count, late, process);
    }

    Planted retriedLate(Function<DataSource, Pause> time) {
        return new Planted(fault, mistake, useCase, queries, outside, time, process);
    }

    Planted killed(Class<? extends InAnotherProcess> type) {
        return new Planted(fault, mistake, useCase, queries, outside, late, type);
    }

    @Override
    public String toString() {
        return fault + ": " + mistake;
    }

    // ---- what the handlers share -----------------------------------------------------------------------------

    static Attempt attempt(String key) {
        return Attempt.inScope("user:1").key(key).request("pay");
    }

    static Operation<Connection, String> operation(DataSource source) {
        return Idempotency.on(JdbcIdempotencyStore.on(source))
                .operation("pay", ResultCodec.string())
                .settleWithin(Duration.ofMillis(200))
                .build();
    }

    static String receipt() {
        return UUID.randomUUID().toString();
    }

    static int update(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int at = 0; at < values.length; at++) {
                statement.setObject(at + 1, values[at]);
            }
            return statement.executeUpdate();
        }
    }

    static int update(DataSource source, String sql, Object... values) throws SQLException {
        try (Connection connection = source.getConnection()) {
            return update(connection, sql, values);
        }
    }

    static @Nullable String query(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int at = 0; at < values.length; at++) {
                statement.setObject(at + 1, values[at]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? rows.getString(1) : null;
            }
        }
    }

    static @Nullable String query(DataSource source, String sql, Object... values) throws SQLException {
        try (Connection connection = source.getConnection()) {
            return query(connection, sql, values);
        }
    }

    /** Work in a transaction that the handler begins and ends. */
    interface Sql {
        String run(Connection connection) throws SQLException;
    }

    static String inTransaction(DataSource source, Sql work) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            try {
                String answer = work.run(connection);
                connection.commit();
                return answer;
            } catch (SQLException | RuntimeException | Error thrown) {
                connection.rollback();
                throw thrown;
            } finally {
                connection.setAutoCommit(true);
            }
        }
    }

    /** The recipe of a unique column by hand, which is right: the key first, and a look for it after whatever is thrown. */
    static String byHand(DataSource source, String key, Sql work) throws SQLException {
        try {
            return inTransaction(source, connection -> {
                String id = receipt();
                update(connection, "INSERT INTO processed (key_id, response) VALUES (?, ?)", key, id);
                update(connection, PAY, key, id);
                work.run(connection);
                return id;
            });
        } catch (SQLException | RuntimeException | Error thrown) {
            String found = query(source, "SELECT response FROM processed WHERE key_id = ?", key);
            if (found != null) {
                return found;
            }
            throw thrown;
        }
    }

    /** Mails or calls of another service, which no transaction takes back. */
    static final class Outside implements Effects {

        private final Map<String, AtomicInteger> sent = new ConcurrentHashMap<>();

        void send(String key) {
            sent.computeIfAbsent(key, any -> new AtomicInteger()).incrementAndGet();
        }

        @Override
        public long of(String key) {
            AtomicInteger count = sent.get(key);
            return count == null ? 0 : count.get();
        }
    }
}
