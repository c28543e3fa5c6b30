package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.UUID;
import javax.sql.DataSource;

/** Uses the group's own row as the record, by hand: it has a unique column for the key. */
final class UniqueColumn {

    static final String BY_HAND = "by hand, unique column";

    private static final String UNIQUE_VIOLATION = "23505";

    private final DataSource pool;

    UniqueColumn(BenchmarkDatabase database) {
        this.pool = database.pool();
        database.execute("CREATE TABLE IF NOT EXISTS keyed_group (id uuid PRIMARY KEY, name text NOT NULL,"
                + " key_id bytea UNIQUE, request bytea)");
    }

    Variant byHand() {
        return new Variant(
                BY_HAND,
                "one row per key; retries learn it as it is now; other requests under the key refused. Not:"
                        + " an answer to a lost commit, or to a wait that took too long; failures that are"
                        + " remembered",
                this::call);
    }

    /** Inserts the row first, with key and request. If the key already has a row, that row is the result. */
    private Answer call(String key) throws SQLException {
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
        Domain.execute(
                connection,
                "INSERT INTO keyed_group (id, name, key_id, request) VALUES (?, ?, ?, ?)",
                id,
                Domain.GROUP_NAME,
                key,
                request);
        Domain.addTo(connection, id);
    }

    private static Answer replayed(Connection connection, byte[] key, byte[] request) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT id, request FROM keyed_group WHERE key_id = ?")) {
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
