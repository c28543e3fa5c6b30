package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.Dialect.Change;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** How a record is bound to statements and read from rows, the same in all databases. */
final class RecordRow {

    private RecordRow() {}

    // ---- binding -------------------------------------------------------------------------------------------------

    static int bindKey(PreparedStatement statement, int at, IdempotencyKey key) throws SQLException {
        statement.setString(at, key.scope());
        statement.setString(at + 1, key.operation());
        statement.setString(at + 2, key.value());
        return at + 3;
    }

    /** Binds protocol, state, token, fingerprint, payload, failure_code, failure_message. */
    static int bindRecord(PreparedStatement statement, int at, IdempotencyRecord record) throws SQLException {
        statement.setString(at, code(record.protocol()));
        statement.setString(at + 1, record.fold(pending -> "P", succeeded -> "S", failed -> "F"));
        statement.setObject(at + 2, record.token());
        statement.setBytes(at + 3, record.fingerprint().toBytes());
        statement.setBytes(
                at + 4,
                bytes(record.<Optional<Payload>>fold(Pending::plan, Succeeded::result, failed -> Optional.empty())));
        Optional<Failure> failure =
                record.fold(pending -> Optional.empty(), succeeded -> Optional.empty(), f -> Optional.of(f.failure()));
        statement.setString(at + 5, failure.map(Failure::code).orElse(null));
        statement.setString(at + 6, failure.map(Failure::message).orElse(null));
        return at + 7;
    }

    /** Binds values, key and token; the last value of a success is a condition and comes last. */
    static int bindChange(
            PreparedStatement statement, Change change, IdempotencyKey key, UUID token, @Nullable Object... values)
            throws SQLException {
        int columns = change == Change.SUCCEED ? values.length - 1 : values.length;
        int next = 1;
        for (int i = 0; i < columns; i++) {
            statement.setObject(next++, values[i]);
        }
        next = bindKey(statement, next, key);
        statement.setObject(next++, token);
        for (int i = columns; i < values.length; i++) {
            statement.setObject(next++, values[i]);
        }
        return next;
    }

    static byte @Nullable [] bytes(Optional<Payload> payload) {
        return payload.map(Payload::toBytes).orElse(null);
    }

    static long micros(Duration duration) {
        return Math.max(1, duration.toNanos() / 1000);
    }

    /** Whole milliseconds, at least one: to a database zero means "for ever". */
    static long millis(Duration duration) {
        return Math.max(1, duration.toMillis());
    }

    // ---- reading -------------------------------------------------------------------------------------------------

    /** Columns in the order in which they are bound and read. */
    static final String COLUMNS = "protocol, state, token, fingerprint, payload, failure_code, failure_message";

    /** How many columns {@link #columnsAt} names. */
    static final int WIDTH = 12;

    /** What {@link #recordIn} reads. The age is taken here, of pending records only: nobody asks how old others are. */
    static String columnsAt(String now) {
        return COLUMNS + ", updated_at, " + now + ", scope, operation, key_value";
    }

    /**
     * Reads {@link #columnsAt}, from a column on.
     *
     * @throws StoreException if the database has found the record of another key
     */
    static IdempotencyRecord recordIn(ResultSet row, int at, IdempotencyKey key) throws SQLException {
        if (!key.scope().equals(row.getString(at + 9))
                || !key.operation().equals(row.getString(at + 10))
                || !key.value().equals(row.getString(at + 11))) {
            throw new StoreException(
                    key + ": the database found the record of another key, since its columns take different keys for"
                            + " equal. Give scope, operation and key_value a collation that compares exactly, such as"
                            + " COLLATE \"C\" on PostgreSQL; checkTable() names the columns",
                    Fault.STATEMENT_REFUSED,
                    null);
        }
        Protocol protocol = protocol(row.getString(at));
        String state = row.getString(at + 1);
        UUID token = row.getObject(at + 2, UUID.class);
        Fingerprint fingerprint = Fingerprint.fromBytes(row.getBytes(at + 3));
        Optional<Payload> payload = Optional.ofNullable(row.getBytes(at + 4)).map(Payload::of);
        return switch (state) {
            case "P" -> new Pending(key, protocol, token, fingerprint, payload, age(row, at + 7));
            case "S" -> new Succeeded(key, protocol, token, fingerprint, payload);
            case "F" ->
                new Failed(
                        key, protocol, token, fingerprint, new Failure(row.getString(at + 5), row.getString(at + 6)));
            default -> throw illegible(key + ": unknown state '" + state + "' in the record.");
        };
    }

    private static Duration age(ResultSet row, int at) throws SQLException {
        Duration age =
                Duration.between(row.getObject(at, OffsetDateTime.class), row.getObject(at + 1, OffsetDateTime.class));
        return age.isNegative() ? Duration.ZERO : age;
    }

    private static String code(Protocol protocol) {
        return switch (protocol) {
            case CLAIM_FIRST -> "C";
            case SINGLE_TRANSACTION -> "S";
            case EXTERNAL -> "E";
        };
    }

    private static Protocol protocol(String code) throws SQLException {
        return switch (code) {
            case "C" -> Protocol.CLAIM_FIRST;
            case "S" -> Protocol.SINGLE_TRANSACTION;
            case "E" -> Protocol.EXTERNAL;
            default -> throw illegible("Unknown protocol '" + code + "' in a record.");
        };
    }

    /** Written by somebody else. The table's check spares the cost of listing the letters; here is where they are known. */
    private static SQLException illegible(String what) {
        return new SQLException(what, "22000");
    }
}
