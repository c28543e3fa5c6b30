package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.benchmarks.Variant.Action;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The library's own statements, sent by plain JDBC with nothing in between. What a call of the library takes more is
 * its Java. The texts come from the server, which keeps each text that it receives often.
 */
final class LibrarySql {

    /** The driver has them prepared at the fifth. */
    private static final int CALLS = 6;

    private static final String OTHERWISE = "a statement of the library did not do what it does there";
    private static final String LOCK_TIMEOUT_MILLIS = "1000";

    private final HandWrittenSql plainly;
    private final String claimInTransaction;
    private final String claimAndLock;
    private final String markClaimedAndCommit;
    private final String markAndCommit;
    private final String insertAndCommit;

    LibrarySql(Database database) {
        this.plainly = new HandWrittenSql(database.pool());
        try (var one = database.anotherPool(1)) {
            LibraryVariant ours = new LibraryVariant(JdbcIdempotencyStore.builder(one)
                    .table("public.idempotency_record")
                    .build()
                    .checkTable());
            Action single = ours.unplanned("bare-single", Protocol.SINGLE_TRANSACTION);
            Action claimFirst = ours.unplanned("bare-first", Protocol.CLAIM_FIRST);
            Action recordLast = ours.unplanned("bare-last", Protocol.RECORD_LAST);
            for (int i = 0; i < CALLS; i++) {
                single.call(Keys.fresh());
                claimFirst.call(Keys.fresh());
                recordLast.call(Keys.fresh());
            }
            try (Connection connection = one.getConnection()) {
                claimInTransaction = sent(connection, "INSERT INTO public.idempotency_record%FROM (VALUES%");
                claimAndLock =
                        sent(connection, "INSERT INTO public.idempotency_record%NOT EXISTS%") + "; COMMIT; BEGIN; "
                                + sent(connection, "SELECT pg_current_xact_id%idempotency_record%token = %");
                markClaimedAndCommit =
                        sent(connection, "MERGE INTO public.idempotency_record%current_setting('idempotency%")
                                + "; COMMIT";
                markAndCommit =
                        sent(connection, "MERGE INTO public.idempotency_record%pg_current_xact_id() =%") + "; COMMIT";
                insertAndCommit = sent(connection, "INSERT INTO %idempotency_record%) VALUES (%") + "; COMMIT";
            }
        } catch (Exception e) {
            throw new IllegalStateException("cannot learn the library's statements: " + e.getMessage(), e);
        }
    }

    private static String sent(Connection connection, String like) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT min(statement), count(*) FROM pg_prepared_statements WHERE trim(statement) LIKE ?")) {
            statement.setString(1, like);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                if (rows.getInt(2) != 1) {
                    throw new IllegalStateException(rows.getInt(2) + " statements are like " + like);
                }
                return rows.getString(1).replaceAll("\\$\\d+", "?").trim();
            }
        }
    }

    Action singleTransactionPlanned(String operation) {
        return key -> {
            UUID id = Domain.newGroupId();
            return plainly.inTransaction(connection -> {
                claim(connection, operation, key, "S", UUID.randomUUID(), HandWrittenSql.bytes(id));
                Domain.createGroup(connection, id);
            });
        };
    }

    Action singleTransaction(String operation) {
        return key -> {
            UUID token = UUID.randomUUID();
            return plainly.inTransaction(connection -> {
                claim(connection, operation, key, "P", token, null);
                UUID id = Domain.newGroupId();
                Domain.createGroup(connection, id);
                succeed(connection, operation, key, token, HandWrittenSql.bytes(id), null);
            });
        };
    }

    Action claimFirst(String operation) {
        return key -> {
            UUID token = UUID.randomUUID();
            return plainly.inTransaction(connection -> {
                String transaction = claimAndLock(connection, operation, key, token);
                UUID id = Domain.newGroupId();
                Domain.createGroup(connection, id);
                succeed(connection, operation, key, token, HandWrittenSql.bytes(id), transaction);
            });
        };
    }

    Action recordLast(String operation) {
        return key -> plainly.inTransaction(connection -> {
            UUID id = Domain.newGroupId();
            Domain.createGroup(connection, id);
            try (PreparedStatement statement = connection.prepareStatement(insertAndCommit)) {
                bindRecord(statement, operation, key, "S", "S", UUID.randomUUID(), HandWrittenSql.bytes(id));
                statement.execute();
                HandWrittenSql.require(statement.getUpdateCount() == 1, OTHERWISE);
            }
        });
    }

    private void claim(
            Connection connection, String operation, String key, String state, UUID token, byte @Nullable [] payload)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(claimInTransaction)) {
            bindRecord(statement, operation, key, "S", state, token, payload);
            HandWrittenSql.require(statement.executeUpdate() == 1, OTHERWISE);
        }
    }

    private String claimAndLock(Connection connection, String operation, String key, UUID token) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(claimAndLock)) {
            int at = bindRecord(statement, operation, key, "C", "P", token, null);
            at = bindKey(statement, bindKey(statement, at, operation, key), operation, key);
            statement.setObject(at, token);
            statement.execute();
            HandWrittenSql.require(statement.getUpdateCount() == 1, OTHERWISE);
            boolean locked = false;
            for (int following = 0; following < 3; following++) {
                locked = statement.getMoreResults();
            }
            HandWrittenSql.require(locked, OTHERWISE);
            try (ResultSet rows = statement.getResultSet()) {
                HandWrittenSql.require(rows.next(), OTHERWISE);
                return rows.getString(1);
            }
        }
    }

    private void succeed(
            Connection connection,
            String operation,
            String key,
            UUID token,
            byte[] result,
            @Nullable String transaction)
            throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(transaction == null ? markClaimedAndCommit : markAndCommit)) {
            statement.setBytes(1, result);
            int at = bindKey(statement, 2, operation, key);
            statement.setObject(at, token);
            if (transaction != null) {
                statement.setObject(at + 1, transaction, Types.OTHER);
            }
            statement.execute();
            HandWrittenSql.require(statement.getUpdateCount() == 1, OTHERWISE);
        }
    }

    private static int bindKey(PreparedStatement statement, int at, String operation, String key) throws SQLException {
        statement.setString(at, LibraryVariant.SCOPE);
        statement.setString(at + 1, operation);
        statement.setString(at + 2, key);
        return at + 3;
    }

    private static int bindRecord(
            PreparedStatement statement,
            String operation,
            String key,
            String protocol,
            String state,
            UUID token,
            byte @Nullable [] payload)
            throws SQLException {
        int at = bindKey(statement, 1, operation, key);
        statement.setString(at, protocol);
        statement.setString(at + 1, state);
        statement.setObject(at + 2, token);
        statement.setBytes(at + 3, HandWrittenSql.fingerprint());
        statement.setBytes(at + 4, payload);
        statement.setNull(at + 5, Types.VARCHAR);
        statement.setNull(at + 6, Types.VARCHAR);
        statement.setLong(at + 7, HandWrittenSql.RETENTION_MICROS);
        statement.setString(at + 8, LOCK_TIMEOUT_MILLIS);
        return at + 9;
    }
}
