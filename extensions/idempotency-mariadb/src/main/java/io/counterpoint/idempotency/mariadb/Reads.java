package io.counterpoint.idempotency.mariadb;

import static io.counterpoint.idempotency.jdbc.spi.RecordRow.IDENTIFIED;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.THIS_KEY;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.bindKey;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.columnsAt;
import static io.counterpoint.idempotency.mariadb.LockBound.prepared;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The statements that read, with and without a lock. */
final class Reads {

    private static final BinaryRow ROW = new BinaryRow();
    private static final int STATE = 2;
    private static final String PENDING = "P";
    private static final int MOST_KEYS = 200;

    private final Server server;
    private final RecordTable table;
    private final LockBound bound;
    private final String selectEnded;
    private final String select;
    private final String selectThis;

    Reads(Server server, RecordTable table, LockBound bound) {
        this.server = server;
        this.table = table;
        this.bound = bound;
        this.selectEnded = "SELECT " + IDENTIFIED + " FROM " + table + " WHERE " + THIS_KEY;
        this.select = "SELECT " + columnsAt("UTC_TIMESTAMP(6)") + " FROM " + table + " WHERE ";
        this.selectThis = select + THIS_KEY;
    }

    /** Reads what this node has. This decides nothing: if no record is found, an insert follows. */
    boolean isThere(Connection connection, IdempotencyKey key) throws SQLException {
        return prepared(connection, "SELECT 1 FROM " + table + " WHERE " + THIS_KEY, statement -> {
            bindKey(statement, 1, key);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        });
    }

    /**
     * A finished record is read with the fewest columns, because each costs a message. A pending one is read a second
     * time, with its age.
     *
     * <p>In a transaction that reads from a snapshot, a record newer than the snapshot is read under a shared lock,
     * which a claim that waited for it already holds. With several nodes, a terminal record is final on any node; for
     * any other result, this node has to have caught up.
     */
    Optional<IdempotencyRecord> read(Connection connection, IdempotencyKey key) throws SQLException {
        Optional<Optional<IdempotencyRecord>> row =
                prepared(connection, selectEnded, statement -> ended(statement, key));
        if (row.isPresent() && row.get().isPresent()) {
            return row.get();
        }
        if (connection.getAutoCommit()) {
            return row.isPresent() || server.isOneOfMany()
                    ? prepared(connection, server.current(selectThis), statement -> ROW.first(statement, key))
                    : Optional.empty();
        }
        Optional<IdempotencyRecord> pending = row.isPresent()
                ? prepared(connection, selectThis, statement -> ROW.first(statement, key))
                : Optional.empty();
        return pending.isPresent()
                ? pending
                : prepared(connection, selectThis + server.sharedLock(), statement -> ROW.first(statement, key));
    }

    /** The row, if there is one, and in it the record, if it is finished. */
    private static Optional<Optional<IdempotencyRecord>> ended(PreparedStatement statement, IdempotencyKey key)
            throws SQLException {
        bindKey(statement, 1, key);
        try (ResultSet rows = statement.executeQuery()) {
            if (!rows.next()) {
                return Optional.empty();
            }
            return Optional.of(
                    PENDING.equals(rows.getString(STATE)) ? Optional.empty() : Optional.of(ROW.recordIn(rows, 1, key)));
        }
    }

    /** The server compares each row that it finds with the keys of its statement one after the other, so a statement has few. */
    Map<IdempotencyKey, IdempotencyRecord> readAll(Connection connection, Set<IdempotencyKey> keys)
            throws SQLException {
        List<IdempotencyKey> wanted = List.copyOf(keys);
        Map<IdempotencyKey, IdempotencyRecord> found = new HashMap<>();
        for (int from = 0; from < wanted.size(); from += MOST_KEYS) {
            found.putAll(readFew(connection, wanted.subList(from, Math.min(from + MOST_KEYS, wanted.size()))));
        }
        return found;
    }

    private Map<IdempotencyKey, IdempotencyRecord> readFew(Connection connection, List<IdempotencyKey> keys)
            throws SQLException {
        String conditions = String.join(" OR ", Collections.nCopies(keys.size(), "(" + THIS_KEY + ")"));
        return prepared(connection, server.current(select + conditions), statement -> {
            int at = 1;
            for (IdempotencyKey key : keys) {
                at = bindKey(statement, at, key);
            }
            Map<IdempotencyKey, IdempotencyRecord> found = new HashMap<>();
            try (ResultSet rows = LockBound.rows(statement)) {
                while (rows.next()) {
                    IdempotencyKey key = key(rows);
                    found.put(key, ROW.recordIn(rows, 1, key));
                }
            }
            return found;
        });
    }

    private static IdempotencyKey key(ResultSet rows) throws SQLException {
        return IdempotencyKey.inScope(rows.getString("scope"))
                .operation(rows.getString("operation"))
                .value(rows.getString("key_value"));
    }

    /** Used in a block whose transaction has changed nothing. */
    Optional<IdempotencyRecord> readAndEnd(Connection connection, IdempotencyKey key) throws SQLException {
        return prepared(connection, Server.blockOf(selectThis, "COMMIT"), statement -> ROW.first(statement, key));
    }

    /**
     * MySQL does not accept a timeout in the statement, so it first tries without waiting, because most locks are free.
     */
    Optional<IdempotencyRecord> lock(Connection connection, IdempotencyKey key, Duration wait) throws SQLException {
        String sql = selectThis + " FOR UPDATE";
        if (wait.isZero() || !server.boundsStatements()) {
            try {
                return prepared(connection, server.current(sql + " NOWAIT"), statement -> ROW.first(statement, key));
            } catch (SQLException thrown) {
                if (wait.isZero() || thrown.getErrorCode() != MariaDbErrors.LOCKED_NOW) {
                    throw thrown;
                }
            }
        }
        return bound.with(connection, wait, sql, statement -> ROW.first(statement, key));
    }
}
