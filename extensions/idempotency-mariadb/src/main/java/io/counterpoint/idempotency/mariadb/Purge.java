package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.PurgedBatch;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * Deletes records whose retention has ended. It locks a batch, skipping records that others have locked, and deletes it
 * by key: deleting by time would wait for every record that it scans.
 */
record Purge(Server server, RecordTable table) {

    /** Earlier times are not safe in a column of this database. */
    private static final OffsetDateTime FIRST = OffsetDateTime.of(1000, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);

    PurgedBatch run(Connection connection, OffsetDateTime from, int batch) throws SQLException {
        connection.setAutoCommit(false);
        boolean ended = false;
        try {
            PurgedBatch purged = delete(connection, from, batch);
            connection.commit();
            connection.setAutoCommit(true);
            ended = true;
            return purged;
        } finally {
            if (!ended) {
                end(connection);
            }
        }
    }

    /** A connection whose transaction may not have ended must not be used any more. */
    private static void end(Connection connection) throws SQLException {
        boolean restored = false;
        try {
            rollBack(connection);
            connection.setAutoCommit(true);
            restored = true;
        } finally {
            if (!restored) {
                Dialect.discard(connection);
            }
        }
    }

    /**
     * Another node may have rolled it back by now. The next statement gets an error that reports this, and this one
     * may, too.
     */
    private static void rollBack(Connection connection) throws SQLException {
        try {
            connection.rollback();
        } catch (SQLException thrown) {
            if (thrown.getErrorCode() != MariaDbErrors.DEADLOCK) {
                throw thrown;
            }
        }
    }

    private PurgedBatch delete(Connection connection, OffsetDateTime from, int batch) throws SQLException {
        try (PreparedStatement expired = connection.prepareStatement(server.current("""
                        SELECT scope, operation, key_value, expires_at FROM %s
                        WHERE expires_at >= CAST(? AS datetime(6)) AND expires_at < UTC_TIMESTAMP(6) AND state <> 'P'
                            AND TIMESTAMPADD(MICROSECOND, TIMESTAMPDIFF(MICROSECOND, created_at, expires_at), updated_at)
                                < UTC_TIMESTAMP(6)
                        ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED
                        """.formatted(table)));
                PreparedStatement delete = connection.prepareStatement(
                        "DELETE FROM " + table + " WHERE scope = ? AND operation = ? AND key_value = ?")) {
            expired.setString(1, text(from));
            expired.setInt(2, batch);
            int count = 0;
            LocalDateTime latest = null;
            try (ResultSet rows = LockBound.rows(expired)) {
                for (; rows.next(); count++) {
                    for (int column = 1; column <= 3; column++) {
                        delete.setString(column, rows.getString(column));
                    }
                    delete.addBatch();
                    latest = rows.getObject(4, LocalDateTime.class);
                }
            }
            if (count > 0) {
                int[] unused = delete.executeBatch();
            }
            return new PurgedBatch(count, utc(latest));
        }
    }

    /** Bound as text, because drivers differ in how they bind a time without a zone. */
    private static String text(OffsetDateTime from) {
        return (from.isBefore(FIRST) ? FIRST : from)
                .withOffsetSameInstant(ZoneOffset.UTC)
                .toLocalDateTime()
                .toString()
                .replace('T', ' ');
    }

    private static @Nullable OffsetDateTime utc(@Nullable LocalDateTime time) {
        return time == null ? null : time.atOffset(ZoneOffset.UTC);
    }
}
