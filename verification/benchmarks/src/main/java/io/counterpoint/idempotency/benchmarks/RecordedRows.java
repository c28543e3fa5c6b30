package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.RecordedOperation;
import io.counterpoint.idempotency.benchmarks.Variant.Action;
import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * The group's own row as the record: with a column for the key, by this library and by hand, or with a primary key that is
 * derived from it. This library refuses a database without a {@code lock_timeout}.
 */
final class RecordedRows {

    static final String BY_HAND = "by hand, unique column";
    static final String ROW = "recorded in the domain's row";
    static final String DERIVED = ROW + ", derived primary key";

    private static final String UNIQUE_VIOLATION = "23505";

    private final JdbcIdempotencyStore store;
    private final DataSource pool;

    RecordedRows(Database database, JdbcIdempotencyStore store) {
        this.store = store;
        this.pool = database.pool();
        database.execute("CREATE TABLE IF NOT EXISTS recorded_group (id uuid PRIMARY KEY, name text NOT NULL,"
                + " key_id bytea UNIQUE, request bytea)");
        database.execute("CREATE TABLE IF NOT EXISTS derived_group (id uuid PRIMARY KEY, name text NOT NULL,"
                + " request bytea)");
    }

    List<Variant> all() {
        String ours =
                "one row per key; retries learn it as it is now; other requests under the key refused; lost commit"
                        + " answers resolved; waits bounded by the role. Not: failures that are remembered";
        return List.of(
                new Variant(
                        BY_HAND,
                        null,
                        "one row per key; retries learn it as it is now; other requests under the key refused. Not:"
                                + " an answer to a lost commit, or to a wait that took too long; failures that are"
                                + " remembered",
                        this::byHand),
                new Variant(ROW, BY_HAND, ours, recorded()),
                new Variant(DERIVED, BY_HAND, ours, derived()));
    }

    private Action recorded() {
        RecordedOperation<Connection, UUID> operation = Idempotency.on(store)
                .recorded(
                        "recorded",
                        store.recordedIn("public.recorded_group", "key_id", "request"),
                        (Connection connection, IdempotencyKey key) -> find(connection, key.id()))
                .build();
        return key -> {
            UUID id = Domain.newGroupId();
            return call(operation, LibraryVariant.attempt(key), Map.of("id", id, "name", Domain.GROUP_NAME), id);
        };
    }

    /** The result is the primary key, so a replay needs no other column of the row. */
    private Action derived() {
        RecordedOperation<Connection, UUID> operation = Idempotency.on(store)
                .recorded(
                        "derived",
                        store.recordedIn("public.derived_group", "id", "request"),
                        (Connection connection, IdempotencyKey key) -> Optional.of(key.uuid()))
                .build();
        return key -> {
            Attempt attempt = LibraryVariant.attempt(key);
            UUID id = operation.keyOf(attempt).uuid();
            return call(operation, attempt, Map.of("name", Domain.GROUP_NAME), id);
        };
    }

    private static Answer call(
            RecordedOperation<Connection, UUID> operation, Attempt attempt, Map<String, Object> row, UUID id)
            throws SQLException {
        return LibraryVariant.answer(operation.execute(attempt, row, connection -> {
            Domain.addTo(connection, id);
            return id;
        }));
    }

    private static Optional<UUID> find(Connection connection, byte[] key) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT id FROM recorded_group WHERE key_id = ?")) {
            statement.setBytes(1, key);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? Optional.of(rows.getObject(1, UUID.class)) : Optional.empty();
            }
        }
    }

    /** The row first, with key and request; where the key has a row already, that row is the answer. */
    private Answer byHand(String key) throws SQLException {
        byte[] id = HandWrittenSql.sha256(LibraryVariant.SCOPE + "/" + key);
        byte[] request = HandWrittenSql.fingerprint();
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try {
                insert(connection, id, request);
                connection.commit();
                return Answer.EXECUTED;
            } catch (SQLException | RuntimeException | Error thrown) {
                connection.rollback();
                if (!(thrown instanceof SQLException refused && UNIQUE_VIOLATION.equals(refused.getSQLState()))) {
                    throw thrown;
                }
            } finally {
                connection.setAutoCommit(true);
            }
            return replayed(connection, id, request);
        }
    }

    private static void insert(Connection connection, byte[] key, byte[] request) throws SQLException {
        UUID id = Domain.newGroupId();
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO recorded_group (id, name, key_id, request) VALUES (?, ?, ?, ?)")) {
            statement.setObject(1, id);
            statement.setString(2, Domain.GROUP_NAME);
            statement.setBytes(3, key);
            statement.setBytes(4, request);
            statement.executeUpdate();
        }
        Domain.addTo(connection, id);
    }

    private static Answer replayed(Connection connection, byte[] key, byte[] request) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT id, request FROM recorded_group WHERE key_id = ?")) {
            statement.setBytes(1, key);
            try (ResultSet rows = statement.executeQuery()) {
                HandWrittenSql.require(
                        rows.next() && Arrays.equals(rows.getBytes(2), request),
                        "the key has no row, or that of another request");
                return Answer.REPLAYED;
            }
        }
    }
}
