package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.jspecify.annotations.Nullable;

/** The statements of one database. {@link RecordRow} binds and reads records. */
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

    /** Statements that do several steps in one round trip, where this connection can send them. */
    Optional<CombinedStatements> combined(Connection connection) throws SQLException {
        return Optional.empty();
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

    /** Moves the time of a record's last change, in any state, and nothing else. */
    abstract boolean confirm(Connection connection, IdempotencyKey key, UUID token, boolean alone) throws SQLException;

    /** Whether the transaction is still the one of that name. */
    abstract boolean isTransaction(Connection connection, String transaction) throws SQLException;

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
}
