package io.counterpoint.idempotency.jdbc.spi;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey;
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
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Binds records to statements and reads them from rows. This is the same in all databases, except for tokens and times:
 * a dialect whose driver does not support UUIDs or times with zones overrides these methods.
 */
public class RecordRow {

    /** The columns in the order in which they are bound and read. */
    public static final String COLUMNS = "protocol, state, token, fingerprint, payload, failure_code, failure_message";

    /** {@link #COLUMNS} with the key: all columns of a finished record. */
    public static final String IDENTIFIED = COLUMNS + ", scope, operation, key_value";

    /** The condition for one key, whose parameters {@link #bindKey} binds. */
    public static final String THIS_KEY = "scope = ? AND operation = ? AND key_value = ?";

    /** The number of columns in {@link #columnsAt}. */
    public static final int WIDTH = 12;

    /** A data exception state for illegible records. */
    private static final String ILLEGIBLE = "22ZZ1";

    /** The state of errors for the record of a different key. */
    private static final String ANOTHER_KEY = "22000";

    /** The length of a fingerprint in bytes. */
    private static final int FINGERPRINT = 32;

    /** Creates a row with UUIDs and times with zones. */
    public RecordRow() {}

    // ---- tokens and times ----------------------------------------------------------------------------------------

    /**
     * Binds a token. By default, as an object of type {@code UUID}.
     *
     * @param statement the statement
     * @param at the parameter, from 1
     * @param token the token
     * @throws SQLException if the driver rejects it
     */
    public void bindToken(PreparedStatement statement, int at, UUID token) throws SQLException {
        statement.setObject(at, token);
    }

    /**
     * Reads a token.
     *
     * @param row the row
     * @param at the column, from 1
     * @return the token
     * @throws SQLException if the driver rejects it
     */
    protected UUID token(ResultSet row, int at) throws SQLException {
        return row.getObject(at, UUID.class);
    }

    /**
     * Reads the time between two columns. By default, both are times with zones.
     *
     * @param row the row
     * @param at the column of the record's last change, followed by that of the database's current time
     * @return the time
     * @throws SQLException if the driver rejects it
     */
    protected Duration between(ResultSet row, int at) throws SQLException {
        return Duration.between(row.getObject(at, OffsetDateTime.class), row.getObject(at + 1, OffsetDateTime.class));
    }

    // ---- binding -------------------------------------------------------------------------------------------------

    /**
     * Binds scope, operation and value.
     *
     * @param statement the statement
     * @param at the first parameter, from 1
     * @param key the key
     * @return the index of the next parameter
     * @throws SQLException if the driver rejects it
     */
    public static int bindKey(PreparedStatement statement, int at, IdempotencyKey key) throws SQLException {
        statement.setString(at, key.scope());
        statement.setString(at + 1, key.operation());
        statement.setString(at + 2, key.value());
        return at + 3;
    }

    /**
     * Binds {@link #COLUMNS}.
     *
     * @param statement the statement
     * @param at the first parameter, from 1
     * @param record the record
     * @return the index of the next parameter
     * @throws SQLException if the driver rejects it
     */
    public int bindRecord(PreparedStatement statement, int at, IdempotencyRecord record) throws SQLException {
        statement.setString(at, code(record.protocol()));
        statement.setString(at + 1, record.fold(pending -> "P", succeeded -> "S", failed -> "F"));
        bindToken(statement, at + 2, record.token());
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

    /**
     * Binds values, key and token, starting at the first parameter. The last value of a success is a condition and is
     * bound last.
     *
     * @param statement the statement
     * @param change which change
     * @param key the record's key
     * @param token its token
     * @param values as {@link RecordChange} lists them
     * @return the index of the next parameter
     * @throws SQLException if the driver rejects it
     */
    public int bindChange(
            PreparedStatement statement,
            RecordChange change,
            IdempotencyKey key,
            UUID token,
            @Nullable Object... values)
            throws SQLException {
        int columns = change == RecordChange.SUCCEED ? values.length - 1 : values.length;
        int next = 1;
        for (int i = 0; i < columns; i++) {
            bindValue(statement, next++, values[i]);
        }
        next = bindKey(statement, next, key);
        bindToken(statement, next++, token);
        for (int i = columns; i < values.length; i++) {
            bindValue(statement, next++, values[i]);
        }
        return next;
    }

    private void bindValue(PreparedStatement statement, int at, @Nullable Object value) throws SQLException {
        if (value instanceof UUID token) {
            bindToken(statement, at, token);
        } else {
            statement.setObject(at, value);
        }
    }

    /**
     * Returns the bound form of a plan or a result. Some databases treat empty values as NULL, but an empty payload is
     * not an absent one. A payload that consists only of zeros, such as the empty one, is therefore stored with an
     * additional zero, and one that also has the column's full length is rejected.
     *
     * @param payload the plan or the result
     * @return its bytes, never empty; null if there is no payload
     */
    public static byte @Nullable [] bytes(Optional<Payload> payload) {
        return payload.map(Payload::toBytes)
                .map(bytes -> isZero(bytes) ? new byte[bytes.length + 1] : bytes)
                .orElse(null);
    }

    /**
     * Returns a plan or a result from its stored form.
     *
     * @param stored what {@link #bytes} returned; null if there was no payload
     * @return the payload, if there is one
     */
    public static Optional<Payload> payload(byte @Nullable [] stored) {
        return Optional.ofNullable(stored)
                .map(bytes -> isZero(bytes) ? new byte[Math.max(0, bytes.length - 1)] : bytes)
                .map(Payload::of);
    }

    private static boolean isZero(byte[] bytes) {
        int zeros = 0;
        while (zeros < bytes.length && bytes[zeros] == 0) {
            zeros++;
        }
        return zeros == bytes.length;
    }

    /**
     * Converts a duration to whole microseconds, at least one.
     *
     * @param duration the duration
     * @return the number
     */
    public static long micros(Duration duration) {
        return Math.max(1, duration.toNanos() / 1000);
    }

    /**
     * Converts a duration to whole milliseconds, at least one, because to a database zero means "forever".
     *
     * @param duration the duration
     * @return the number
     */
    public static long millis(Duration duration) {
        return Math.max(1, duration.toMillis());
    }

    // ---- reading -------------------------------------------------------------------------------------------------

    /**
     * Returns the columns that {@link #recordIn} reads. The age is computed here, for pending records only, because
     * that of others is not needed.
     *
     * @param now the SQL expression for the database's current time
     * @return the columns of a select list
     */
    public static String columnsAt(String now) {
        return IDENTIFIED + ", updated_at, " + now;
    }

    /**
     * Runs a query that selects {@link #columnsAt} for one key.
     *
     * @param statement the query, whose only parameters are those of {@link #THIS_KEY}
     * @param key the key
     * @return the record, if there is one
     * @throws SQLException as in {@link #recordIn}, or if the database rejects the query
     */
    public Optional<IdempotencyRecord> first(PreparedStatement statement, IdempotencyKey key) throws SQLException {
        bindKey(statement, 1, key);
        try (ResultSet rows = statement.executeQuery()) {
            return rows.next() ? Optional.of(recordIn(rows, 1, key)) : Optional.empty();
        }
    }

    /**
     * Reads {@link #columnsAt}, starting at a column. For a finished record, it reads only {@link #IDENTIFIED}.
     *
     * @param row the row
     * @param at the first column, from 1
     * @param key the requested key
     * @return the record
     * @throws SQLException if the database found the record of a different key, or one that this library did not write
     */
    public IdempotencyRecord recordIn(ResultSet row, int at, IdempotencyKey key) throws SQLException {
        if (!key.scope().equals(row.getString(at + 7))
                || !key.operation().equals(row.getString(at + 8))
                || !key.value().equals(row.getString(at + 9))) {
            throw new Dialect.Refusal(
                    "the database returned the record of another key, because its columns treat different keys as"
                            + " equal. Give scope, operation and key_value an exact collation, such as COLLATE \"C\""
                            + " on PostgreSQL; checkTable() names the columns",
                    ANOTHER_KEY,
                    null);
        }
        Protocol protocol = protocol(row.getString(at));
        String state = String.valueOf(row.getString(at + 1));
        UUID token = token(row, at + 2);
        Fingerprint fingerprint = fingerprint(row.getBytes(at + 3));
        Optional<Payload> payload = payload(row.getBytes(at + 4));
        Optional<Failure> failure = failure(state, payload, row.getString(at + 5), row.getString(at + 6));
        return switch (state) {
            case "P" -> new Pending(key, protocol, token, fingerprint, payload, age(row, at + 10));
            case "S" -> new Succeeded(key, protocol, token, fingerprint, payload);
            case "F" -> new Failed(key, protocol, token, fingerprint, failure.orElseThrow());
            default -> throw illegible("the state of a record must be P, S or F, found '" + state + "'.");
        };
    }

    private Duration age(ResultSet row, int at) throws SQLException {
        Duration age = between(row, at);
        return age.isNegative() ? Duration.ZERO : age;
    }

    /**
     * Returns the bound form of a protocol.
     *
     * @param protocol the protocol
     * @return its letter
     */
    public static String code(Protocol protocol) {
        return switch (protocol) {
            case CLAIM_FIRST -> "C";
            case SINGLE_TRANSACTION -> "S";
            case EXTERNAL -> "E";
            case EXTERNAL_THEN -> "T";
            case FOLLOW_UP_OWED -> "K";
            case FOLLOW_UP_BROKEN -> "B";
        };
    }

    private static Protocol protocol(@Nullable String code) throws SQLException {
        return switch (String.valueOf(code)) {
            case "C" -> Protocol.CLAIM_FIRST;
            case "S" -> Protocol.SINGLE_TRANSACTION;
            case "E" -> Protocol.EXTERNAL;
            case "T" -> Protocol.EXTERNAL_THEN;
            case "K" -> Protocol.FOLLOW_UP_OWED;
            case "B" -> Protocol.FOLLOW_UP_BROKEN;
            default ->
                throw illegible("the protocol of a record must be C, S, E, T, K or B, found '" + code + "'. A later"
                        + " version may have written the record; let that version respond.");
        };
    }

    // ---- consistency of a row, which is checked here and not by the table ----------------------------------------

    private static Fingerprint fingerprint(byte @Nullable [] digest) throws SQLException {
        if (digest == null || digest.length != FINGERPRINT) {
            throw illegible("the record's fingerprint must be " + FINGERPRINT + " bytes long, found "
                    + (digest == null ? "none" : digest.length) + ".");
        }
        return Fingerprint.fromBytes(digest);
    }

    /**
     * A failure has no result, and no other state has a failure's code or message. A missing code or message was empty,
     * which some databases treat as NULL.
     */
    private static Optional<Failure> failure(
            String state, Optional<Payload> payload, @Nullable String code, @Nullable String message)
            throws SQLException {
        boolean failed = state.equals("F");
        if (failed ? payload.isPresent() : code != null || message != null) {
            throw illegible(
                    "a record in state F must have no result, and one in state P or S neither a failure code nor a"
                            + " failure message; found state '" + state + "' " + with(code) + " code, "
                            + with(message) + " message, " + with(payload.orElse(null)) + " result. This call changed"
                            + " nothing; correct the row.");
        }
        return failed
                ? Optional.of(
                        new Failure(Objects.requireNonNullElse(code, ""), Objects.requireNonNullElse(message, "")))
                : Optional.empty();
    }

    private static String with(@Nullable Object value) {
        return value == null ? "without" : "with";
    }

    /**
     * Returns whether an exception means that a record was found that this version cannot read.
     *
     * @param thrown what was thrown
     * @return whether it does
     */
    public static boolean isIllegible(Throwable thrown) {
        return thrown instanceof Dialect.Refusal refusal && ILLEGIBLE.equals(refusal.getSQLState());
    }

    /** Creates the exception for a row that this library did not write. */
    private static SQLException illegible(String what) {
        return new Dialect.Refusal(what, ILLEGIBLE, null);
    }
}
