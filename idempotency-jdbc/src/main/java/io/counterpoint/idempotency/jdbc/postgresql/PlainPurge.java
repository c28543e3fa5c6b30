package io.counterpoint.idempotency.jdbc.postgresql;

import io.counterpoint.idempotency.jdbc.spi.PurgedBatch;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;

/**
 * Deletes a batch of expired records by one ordinary statement. The batch is chosen once, in a part of its own: as a
 * subquery it might be chosen again for each row, and would then delete more.
 */
public final class PlainPurge {

    private PlainPurge() {}

    public static PurgedBatch run(Connection connection, RecordTable table, OffsetDateTime from, int batch)
            throws SQLException {
        String sql = """
                WITH expired AS (
                    SELECT scope, operation, key_value FROM %1$s
                    WHERE expires_at >= ? AND expires_at < statement_timestamp() AND state <> 'P'
                        AND updated_at + (expires_at - created_at) < statement_timestamp()
                    ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED)
                DELETE FROM %1$s WHERE (scope, operation, key_value) IN (SELECT * FROM expired)
                RETURNING expires_at
                """.formatted(table);
        return PlainStatement.prepared(connection, sql, statement -> {
            statement.setObject(1, from);
            statement.setInt(2, batch);
            int count = 0;
            OffsetDateTime latest = null;
            try (ResultSet purged = statement.executeQuery()) {
                for (; purged.next(); count++) {
                    OffsetDateTime expired = purged.getObject(1, OffsetDateTime.class);
                    latest = latest == null || expired.isAfter(latest) ? expired : latest;
                }
            }
            return new PurgedBatch(count, latest);
        });
    }
}
