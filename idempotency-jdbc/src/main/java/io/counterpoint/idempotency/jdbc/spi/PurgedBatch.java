package io.counterpoint.idempotency.jdbc.spi;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/**
 * The result of one batch of a purge.
 *
 * @param count the number of deleted records
 * @param latest the latest end of their retention; null if none were deleted
 */
public record PurgedBatch(int count, @Nullable OffsetDateTime latest) {

    /**
     * Deletes a batch with a statement. Its parameters are the end of retention to begin at and the size of the batch.
     * It returns one row with the number of deleted records and the latest end of their retention.
     *
     * @param connection the connection
     * @param sql the statement
     * @param from the end of retention to begin at
     * @param batch the maximum number of records
     * @return the deleted batch
     * @throws SQLException if the database rejected it or its reply was lost
     */
    public static PurgedBatch by(Connection connection, String sql, OffsetDateTime from, int batch)
            throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(sql)) {
            delete.setObject(1, from);
            delete.setInt(2, batch);
            try (ResultSet purged = delete.executeQuery()) {
                purged.next();
                return new PurgedBatch(purged.getInt(1), purged.getObject(2, OffsetDateTime.class));
            }
        }
    }
}
