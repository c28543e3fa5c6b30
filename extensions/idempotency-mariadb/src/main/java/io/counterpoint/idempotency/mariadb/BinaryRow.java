package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.spi.RecordRow;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import java.nio.ByteBuffer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Optional;
import java.util.UUID;

/**
 * Binds tokens as 16 bytes, because a column of type {@code uuid} rejects some random values, and times in UTC, without
 * a zone.
 */
final class BinaryRow extends RecordRow {

    private static final int BYTES = 16;

    @Override
    public void bindToken(PreparedStatement statement, int at, UUID token) throws SQLException {
        statement.setBytes(
                at,
                ByteBuffer.allocate(BYTES)
                        .putLong(token.getMostSignificantBits())
                        .putLong(token.getLeastSignificantBits())
                        .array());
    }

    @Override
    protected UUID token(ResultSet row, int at) throws SQLException {
        ByteBuffer bytes = ByteBuffer.wrap(row.getBytes(at));
        return new UUID(bytes.getLong(), bytes.getLong());
    }

    @Override
    public Optional<IdempotencyRecord> first(PreparedStatement statement, IdempotencyKey key) throws SQLException {
        bindKey(statement, 1, key);
        try (ResultSet rows = LockBound.rows(statement)) {
            return rows.next() ? Optional.of(recordIn(rows, 1, key)) : Optional.empty();
        }
    }

    @Override
    protected Duration between(ResultSet row, int at) throws SQLException {
        return Duration.between(row.getObject(at, LocalDateTime.class), row.getObject(at + 1, LocalDateTime.class));
    }
}
