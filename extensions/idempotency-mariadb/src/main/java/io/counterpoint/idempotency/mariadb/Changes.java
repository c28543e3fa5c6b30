package io.counterpoint.idempotency.mariadb;

import static io.counterpoint.idempotency.jdbc.spi.RecordRow.bindKey;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordChange;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The compare-and-sets. A row that stays the same is not written, so each moves the time of the last change. */
record Changes(RecordTable table, LockBound bound) {

    private static final BinaryRow ROW = new BinaryRow();
    private static final String NOW = "UTC_TIMESTAMP(6)";
    private static final String THIS_RECORD = " WHERE scope = ? AND operation = ? AND key_value = ? AND token = ?";

    boolean change(
            Connection connection, RecordChange change, IdempotencyKey key, UUID token, @Nullable Object... columns)
            throws SQLException {
        return run(connection, sql(change) + THIS_RECORD + " AND state = 'P'", key, token, columns);
    }

    boolean confirm(Connection connection, IdempotencyKey key, UUID token) throws SQLException {
        String sql = update("GREATEST(" + NOW + ", updated_at + INTERVAL 1 MICROSECOND)");
        return run(connection, sql + THIS_RECORD, key, token);
    }

    private boolean run(Connection connection, String sql, IdempotencyKey key, UUID token, @Nullable Object... columns)
            throws SQLException {
        return bound.with(connection, Dialect.LOCK_WAIT, sql, statement -> {
            ROW.bindToken(statement, bindKey(statement, bind(statement, columns), key), token);
            return statement.executeUpdate() == 1;
        });
    }

    private static int bind(PreparedStatement statement, @Nullable Object[] columns) throws SQLException {
        int at = 1;
        for (Object column : columns) {
            if (column instanceof UUID token) {
                ROW.bindToken(statement, at++, token);
            } else {
                statement.setObject(at++, column);
            }
        }
        return at;
    }

    private String update(String time) {
        return "UPDATE " + table + " SET updated_at = " + time;
    }

    private String sql(RecordChange change) {
        return switch (change) {
            case SUCCEED -> update(NOW) + ", state = 'S', payload = COALESCE(?, payload)";
            case FAIL -> update(NOW) + ", state = 'F', payload = NULL, failure_code = ?, failure_message = ?";
            case RELEASE -> "DELETE FROM " + table;
            case REPLACE_TOKEN ->
                update("IF(updated_at = " + NOW + ", " + NOW + " + INTERVAL 1 MICROSECOND, " + NOW + ")")
                        + ", token = ?";
            case CHANGE_PROTOCOL -> update(NOW) + ", token = ?, protocol = ?, payload = COALESCE(?, payload)";
        };
    }
}
