package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.jspecify.annotations.Nullable;

/** The statements of one database, and what stands the same in all of them: how a record is bound and read. */
abstract class Dialect {

    /** The bound of a compare-and-set's wait for the record's lock. */
    static final Duration LOCK_WAIT = Duration.ofSeconds(1);

    final Table table;

    Dialect(Table table) {
        this.table = table;
    }

    abstract Dialect withTable(Table other);

    /** What the catalogue says of the table that the statements would use; empty if there is none. */
    abstract Optional<TableFacts> facts(Connection connection) throws SQLException;

    /** The name of the file that creates the table. */
    abstract String schemaFile();

    /** Whether an index is named with its schema when it is created. */
    abstract boolean indexesAreQualified();

    /** Inserts a record, unless there is one with its key. */
    abstract InsertResult insert(Connection connection, IdempotencyRecord record, ClaimOptions terms)
            throws SQLException;

    /** Whether this database can claim, commit, begin and lock in one round trip on this connection. */
    boolean claimsAndLocks(Connection connection) throws SQLException {
        return false;
    }

    /**
     * Inserts a record unless there is one with its key, and commits; then, in the next transaction, locks it.
     *
     * @return whether it was inserted, and the database's name for the next transaction, which is open in any case, if
     *     that has the lock
     */
    InsertResult claimAndLock(Connection connection, Pending pending, ClaimOptions terms) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    /** Reads a record, and ends the transaction, which has changed nothing. */
    Optional<IdempotencyRecord> readAndEnd(Connection connection, IdempotencyKey key) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    abstract Optional<IdempotencyRecord> read(Connection connection, IdempotencyKey key) throws SQLException;

    /** Reads many records at once. A key without a record has no entry. */
    Map<IdempotencyKey, IdempotencyRecord> readAll(Connection connection, Set<IdempotencyKey> keys)
            throws SQLException {
        Map<IdempotencyKey, IdempotencyRecord> found = new HashMap<>();
        for (IdempotencyKey key : keys) {
            read(connection, key).ifPresent(record -> found.put(key, record));
        }
        return found;
    }

    abstract Optional<LockedRecord> lock(Connection connection, IdempotencyKey key, Duration wait) throws SQLException;

    /** A compare-and-set on (key, Pending, token), with the new values of its columns first. */
    abstract boolean change(
            Connection connection,
            Change change,
            IdempotencyKey key,
            UUID token,
            boolean alone,
            @Nullable Object... values)
            throws SQLException;

    /** Whether this database can mark and commit in one round trip on this connection. */
    boolean marksWithCommit(Connection connection) throws SQLException {
        return false;
    }

    /**
     * Marks a record as succeeded, and commits.
     *
     * @return whether the record was changed; if not, the database refuses to commit the transaction
     */
    boolean succeedAndCommit(Connection connection, SuccessMark mark) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    /** Moves the time of a record's last change, in any state, and nothing else. */
    abstract boolean confirm(Connection connection, IdempotencyKey key, UUID token, boolean alone) throws SQLException;

    /** Whether the transaction is still the one of that name. */
    abstract boolean isTransaction(Connection connection, String transaction) throws SQLException;

    /** Whether this database can ask that and commit in one round trip on this connection. */
    boolean guardsWithCommit(Connection connection) throws SQLException {
        return false;
    }

    /**
     * Commits, if the transaction is still the one of that name.
     *
     * @return whether it is; if not, the database refuses to commit
     */
    boolean guardAndCommit(Connection connection, String transaction) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    /** Deletes the records that are past their retention. */
    abstract PurgeSweep sweep();

    /** What {@link #isolate} changes for longer than a transaction: the level to set before the connection is given back. */
    OptionalInt isolationToRestore(Connection connection) throws SQLException {
        return OptionalInt.empty();
    }

    /** Whether an error in the middle of a call can leave the driver where it reads another call's answer next. */
    boolean losesStepByErrors() {
        return true;
    }

    /**
     * Whether a transaction has begun on a connection that has just been borrowed; false where that cannot be found
     * out.
     */
    abstract boolean hasBegun(Connection connection) throws SQLException;

    /** Sets the isolation of the transaction that begins with the next statement. */
    abstract void isolate(Connection connection, TransactionIsolationLevel level) throws SQLException;

    /** Refuses a transaction that the database would roll back at its commit without saying so. */
    abstract void requireCommittable(Connection connection) throws SQLException;

    /** How a record is to be claimed. */
    record ClaimOptions(Duration retention, Duration lockWait, boolean alone, boolean mayBeLost) {}

    /**
     * Whether a record was inserted.
     *
     * @param done false if there is one with its key
     * @param transaction the database's name for the transaction; empty where no further step asks for it
     */
    record InsertResult(boolean done, Optional<String> transaction) {
        static final InsertResult NOT = new InsertResult(false, Optional.empty());
        static final InsertResult WITHOUT_NAME = new InsertResult(true, Optional.empty());

        static InsertResult in(String transaction) {
            return new InsertResult(true, Optional.of(transaction));
        }
    }

    /** A record under its lock, and the database's name for the transaction that holds it. */
    record LockedRecord(IdempotencyRecord record, String transaction) {}

    /**
     * A success to be marked with the commit.
     *
     * @param result empty: what the claim stored stands
     * @param transaction the database's name for the transaction, which it has to be
     * @param otherwise makes what is thrown if the record is not changed
     */
    record SuccessMark(
            IdempotencyKey key,
            UUID token,
            Optional<Payload> result,
            String transaction,
            Supplier<? extends RuntimeException> otherwise) {}

    /** The compare-and-sets, each with the values that it binds. */
    enum Change {
        /** Result or null; the transaction's name or null, last. */
        SUCCEED,
        /** Code and message. */
        FAIL,
        /** Nothing. */
        RELEASE,
        /** The fresh token. */
        REPLACE_TOKEN
    }

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
