package io.counterpoint.idempotency.mariadb;

import static io.counterpoint.idempotency.jdbc.spi.RecordRow.bindKey;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordChange;
import io.counterpoint.idempotency.jdbc.spi.RecordRow;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The insert and the compare-and-sets. An unchanged row is not written, so each of them updates the time of the last
 * change.
 */
record Changes(RecordTable table, LockBound bound) {

    private static final BinaryRow ROW = new BinaryRow();
    private static final String NOW = "UTC_TIMESTAMP(6)";
    private static final String THIS_RECORD = " WHERE scope = ? AND operation = ? AND key_value = ? AND token = ?";
    private static final String THIS_PENDING = THIS_RECORD + " AND state = 'P'";
    private static final int MOST_RECORDS = 500;

    /** A driver may escape each byte of a payload, which doubles it. */
    private static final long MOST_BYTES = 1 << 18;

    /** The size of a record without its key and payload, and of the statement's text for it. */
    private static final int REST = 500;

    /** The size of a statement for one record without its payload. It may contain the key three times. */
    private static final long MOST_KEY = 10_000;

    /** The packet that every statement fits into whose payload is not checked. */
    static final long LEAST_PACKET = 2 * MOST_BYTES + MOST_KEY;

    String insert() {
        return insert(1);
    }

    private String insert(int records) {
        String row = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, %1$s, %1$s, %1$s + INTERVAL ? MICROSECOND)".formatted(NOW);
        return "INSERT INTO " + table + " (scope, operation, key_value, " + RecordRow.COLUMNS
                + ", created_at, updated_at, expires_at) VALUES "
                + String.join(", ", Collections.nCopies(records, row));
    }

    /**
     * Inserts many records with few statements. Each ends at the first record that exists or that it has waited for in
     * vain. Drivers continue a JDBC batch after an error, and would therefore wait for each record.
     */
    boolean insertEach(Connection connection, List<? extends IdempotencyRecord> records, ClaimOptions options)
            throws SQLException {
        for (int from = 0, to; from < records.size(); from = to) {
            to = endOfStatement(records, from);
            List<? extends IdempotencyRecord> part = records.subList(from, to);
            boolean inserted = bound.with(connection, options.lockWait(), insert(part.size()), statement -> {
                int at = 1;
                for (IdempotencyRecord record : part) {
                    at = bindInsert(statement, at, record, options);
                }
                return statement.executeUpdate() == part.size();
            });
            if (!inserted) {
                return false;
            }
        }
        return true;
    }

    /** As many as a statement has parameters for, and the smallest packet bytes that servers are set to; at least one. */
    private static int endOfStatement(List<? extends IdempotencyRecord> records, int from) {
        int to = from;
        long bytes = 0;
        do {
            bytes += length(records.get(to++));
        } while (to < records.size() && to < from + MOST_RECORDS && bytes + length(records.get(to)) <= MOST_BYTES);
        return to;
    }

    private static int length(IdempotencyRecord record) {
        IdempotencyKey key = record.key();
        int characters =
                key.scope().length() + key.operation().length() + key.value().length();
        return REST + 3 * characters + payload(record).map(Payload::length).orElse(0);
    }

    private static Optional<Payload> payload(IdempotencyRecord record) {
        return record.fold(Pending::plan, Succeeded::result, failed -> Optional.empty());
    }

    /**
     * Rejects a payload that exceeds a packet. MariaDB's driver would report a lost connection, and the work would run
     * again.
     */
    private static void requireFits(PreparedStatement statement, @Nullable Object column) throws SQLException {
        if (!(column instanceof byte[] payload) || payload.length < MOST_BYTES) {
            return;
        }
        long most = Long.parseLong(LockBound.single(statement.getConnection(), "SELECT @@max_allowed_packet"));
        boolean escapes = !statement
                .unwrap(PreparedStatement.class)
                .getClass()
                .getSimpleName()
                .startsWith("Server");
        long sent = MOST_KEY + payload.length + (escapes ? escaped(payload) : 0);
        if (sent > most) {
            throw new Dialect.Refusal(
                    "with this plan or result, a statement has about " + sent + " bytes, which exceeds the server's"
                            + " max_allowed_packet of " + most + ": raise that setting, or store less",
                    "22001",
                    null);
        }
    }

    private static long escaped(byte[] payload) {
        long count = 0;
        for (byte one : payload) {
            count += one == 0 || one == '\'' || one == '"' || one == '\\' ? 1 : 0;
        }
        return count;
    }

    /** With its bound, where the server takes that with the statement. */
    String boundedInsert(ClaimOptions options) {
        return bound.server().bounded(LockBound.seconds(options.lockWait()), insert());
    }

    /** Binds an insert starting at a parameter and returns the index of the next one. */
    static int bindInsert(PreparedStatement statement, int from, IdempotencyRecord record, ClaimOptions options)
            throws SQLException {
        requireFits(statement, RecordRow.bytes(payload(record)));
        int at = ROW.bindRecord(statement, bindKey(statement, from, record.key()), record);
        statement.setLong(at, RecordRow.micros(options.retention()));
        return at + 1;
    }

    boolean change(
            Connection connection,
            Duration wait,
            RecordChange change,
            IdempotencyKey key,
            UUID token,
            @Nullable Object... columns)
            throws SQLException {
        return run(connection, wait, sql(change), key, token, columns);
    }

    boolean confirm(Connection connection, IdempotencyKey key, UUID token) throws SQLException {
        String sql = update("GREATEST(" + NOW + ", updated_at + INTERVAL 1 MICROSECOND)");
        return run(connection, Dialect.LOCK_WAIT, sql + THIS_RECORD, key, token);
    }

    private boolean run(
            Connection connection,
            Duration wait,
            String sql,
            IdempotencyKey key,
            UUID token,
            @Nullable Object... columns)
            throws SQLException {
        return bound.with(connection, wait, sql, statement -> {
            bind(statement, key, token, columns);
            return statement.executeUpdate() == 1;
        });
    }

    void bind(PreparedStatement statement, IdempotencyKey key, UUID token, @Nullable Object... columns)
            throws SQLException {
        int at = 1;
        for (Object column : columns) {
            requireFits(statement, column);
            if (column instanceof UUID fresh) {
                ROW.bindToken(statement, at++, fresh);
            } else {
                statement.setObject(at++, column);
            }
        }
        ROW.bindToken(statement, bindKey(statement, at, key), token);
    }

    private String update(String time) {
        return "UPDATE " + table + " SET updated_at = " + time;
    }

    String sql(RecordChange change) {
        String set = switch (change) {
            case SUCCEED -> update(NOW) + ", state = 'S', payload = COALESCE(?, payload)";
            case FAIL -> update(NOW) + ", state = 'F', payload = NULL, failure_code = ?, failure_message = ?";
            case RELEASE -> "DELETE FROM " + table;
            case REPLACE_TOKEN ->
                update("IF(updated_at = " + NOW + ", " + NOW + " + INTERVAL 1 MICROSECOND, " + NOW + ")")
                        + ", token = ?";
            case CHANGE_PROTOCOL -> update(NOW) + ", token = ?, protocol = ?, payload = COALESCE(?, payload)";
        };
        return set + THIS_PENDING;
    }
}
