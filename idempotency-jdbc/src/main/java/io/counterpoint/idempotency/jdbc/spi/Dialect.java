package io.counterpoint.idempotency.jdbc.spi;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.LockScope;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The statements of one database, what its errors prove, and what its catalogue says. {@link RecordRow} binds and reads
 * records. An implementation is immutable and thread-safe. No method commits or rolls back, except where a step is a
 * transaction of its own: with autocommit.
 *
 * <p>The promises of the library rest on these: an insert of a key that another transaction has inserted waits for that
 * transaction; a lock on a record lasts until its transaction ends; every change names the state {@code Pending} and the
 * token; times are the database's. The contract of stores shows whether they hold.
 */
public interface Dialect {

    // ---- the table -----------------------------------------------------------------------------------------------

    /** {@return the table of the statements} */
    RecordTable table();

    /**
     * The same dialect for another table.
     *
     * @param other the table
     * @return the dialect
     */
    Dialect withTable(RecordTable other);

    /** {@return the file in which users find the statements that create the table, for messages} */
    String schemaFile();

    /**
     * The statements that create the table and its index if they are missing, separated by semicolons.
     *
     * @return their text, for {@link #table}
     */
    String schema();

    /**
     * What the catalogue says of the table that the statements would use.
     *
     * @param connection any connection
     * @return the facts; empty if there is no such table
     * @throws SQLException if they cannot be read
     */
    Optional<TableFacts> facts(Connection connection) throws SQLException;

    // ---- steps ---------------------------------------------------------------------------------------------------

    /** The bound of a compare-and-set's wait for the record's lock, where it is a transaction of its own. */
    Duration LOCK_WAIT = Duration.ofSeconds(1);

    /**
     * Inserts a record, unless there is one with its key.
     *
     * @param connection the connection
     * @param record the record, {@code Pending} or {@code Failed}
     * @param options how to claim it
     * @return whether it was inserted
     * @throws SQLException a {@link Fault#LOCK_TIMEOUT} if another claim of the key did not end within the wait, and only
     *     then
     */
    InsertResult insert(Connection connection, IdempotencyRecord record, ClaimOptions options) throws SQLException;

    /**
     * Reads a record as the last commit left it.
     *
     * @param connection the connection
     * @param key its key
     * @return the record, with its age if it is {@code Pending}
     * @throws SQLException if it cannot be read
     */
    Optional<IdempotencyRecord> read(Connection connection, IdempotencyKey key) throws SQLException;

    /**
     * Reads many records at once. By default it reads one after the other.
     *
     * @param connection a connection with autocommit
     * @param keys their keys
     * @return the records; a key without a record has no entry
     * @throws SQLException if they cannot be read
     */
    default Map<IdempotencyKey, IdempotencyRecord> readAll(Connection connection, Set<IdempotencyKey> keys)
            throws SQLException {
        Map<IdempotencyKey, IdempotencyRecord> found = new HashMap<>();
        for (IdempotencyKey key : keys) {
            read(connection, key).ifPresent(record -> found.put(key, record));
        }
        return found;
    }

    /**
     * Locks a record until the transaction ends, and reads it under the lock.
     *
     * @param connection a connection in a transaction
     * @param key its key
     * @param wait the longest wait; zero: not at all
     * @param transaction the name that an earlier step has given to the transaction; empty at its first step
     * @return the record, if there is one
     * @throws SQLException a {@link Fault#LOCK_TIMEOUT} if another transaction kept the lock
     */
    Optional<LockedRecord> lock(
            Connection connection, IdempotencyKey key, Duration wait, Optional<TransactionName> transaction)
            throws SQLException;

    /**
     * A compare-and-set: changes the record only if it is {@code Pending} under that token.
     *
     * @param connection the connection
     * @param change which change
     * @param key the record's key
     * @param token its token
     * @param autoCommit whether the change is a transaction of its own, which waits at most {@link #LOCK_WAIT}
     * @param values the values of the change, as {@link RecordChange} lists them
     * @return whether the record was changed
     * @throws SQLException if the database refused, or gave no answer
     */
    boolean change(
            Connection connection,
            RecordChange change,
            IdempotencyKey key,
            UUID token,
            boolean autoCommit,
            @Nullable Object... values)
            throws SQLException;

    /**
     * Moves the time of a record's last change, in any state, and nothing else, with a durable commit.
     *
     * @param connection the connection
     * @param key the record's key
     * @param token its token
     * @param autoCommit whether this is a transaction of its own
     * @return whether there is a record under that token
     * @throws SQLException if the database refused, or gave no answer
     */
    boolean confirm(Connection connection, IdempotencyKey key, UUID token, boolean autoCommit) throws SQLException;

    /**
     * Whether an error says that the server only reads, as one does that was a primary before. A pool would hand its
     * connection to the next caller; it is closed instead.
     *
     * @param thrown what the driver threw
     * @return whether another server may take the call
     */
    default boolean isReadOnly(SQLException thrown) {
        return StandardErrors.READ_ONLY.equals(thrown.getSQLState());
    }

    /**
     * Whether a warning in the answer to a commit says nothing about the commit. By default none is harmless: a commit that
     * is answered with a warning is in doubt.
     *
     * @param answered the warning; the others of its chain are asked for on their own
     * @return whether the commit counts as if it had not come
     */
    default boolean isHarmless(SQLWarning answered) {
        return false;
    }

    /**
     * A statement that is a transaction of its own, and whose commit shows that everything before it in the database's history
     * is as durable as that commit. It touches no table. By default: none.
     *
     * @return the statement, if the database has one
     */
    default Optional<String> barrier() {
        return Optional.empty();
    }

    /**
     * Inserts many records, each unless there is one with its key, in the order of the list. By default, one after the other,
     * all in the transaction that the first insert has named.
     *
     * @param connection a connection in a transaction
     * @param records records of different keys
     * @param options how to claim them
     * @return for each key, whether its record was inserted
     * @throws SQLException as {@link #insert}
     */
    default Map<IdempotencyKey, InsertResult> insertAll(
            Connection connection, List<? extends IdempotencyRecord> records, ClaimOptions options)
            throws SQLException {
        Map<IdempotencyKey, InsertResult> inserted = new HashMap<>();
        Optional<TransactionName> transaction = options.transaction();
        for (IdempotencyRecord record : records) {
            InsertResult result = insert(connection, record, options.in(transaction));
            inserted.put(record.key(), result);
            transaction = transaction.or(result::transaction);
        }
        return inserted;
    }

    /**
     * Marks records as {@code Succeeded} that this transaction has inserted. By default, one after the other.
     *
     * @param connection the connection
     * @param successes the records
     * @param transaction the name of the transaction in which they were inserted; null if the database has none
     * @return whether each of them was changed; the transaction is of no further use otherwise
     * @throws SQLException if the database refused, or gave no answer
     */
    default boolean succeedAll(
            Connection connection, List<LastStep.Success> successes, @Nullable TransactionName transaction)
            throws SQLException {
        for (LastStep.Success success : successes) {
            if (!change(
                    connection,
                    RecordChange.SUCCEED,
                    success.key(),
                    success.token(),
                    false,
                    RecordRow.bytes(Optional.of(success.result())),
                    transaction == null ? null : transaction.text())) {
                return false;
            }
        }
        return true;
    }

    /**
     * Deletes records whose retention has ended, except those that are {@code Pending}. Where it throws, nothing of the batch
     * is deleted: it is one statement, or one transaction.
     *
     * @param connection a connection with autocommit
     * @param from where the batch before has ended: no record whose retention ended earlier need be looked at
     * @param batch the most records
     * @return what was deleted
     * @throws SQLException if the database refused, or gave no answer
     */
    PurgedBatch purge(Connection connection, OffsetDateTime from, int batch) throws SQLException;

    /**
     * Statements that do several steps in one round trip, where this connection can send them. By default: none.
     *
     * @param connection the connection
     * @return the statements, if it can
     * @throws SQLException if the driver cannot find that out
     */
    default Optional<CombinedStatements> combined(Connection connection) throws SQLException {
        return Optional.empty();
    }

    // ---- transactions --------------------------------------------------------------------------------------------

    /**
     * Whether a transaction has begun on a connection that has just been borrowed.
     *
     * @param connection the connection
     * @return false also where that cannot be found out
     * @throws SQLException if the connection is broken
     */
    boolean hasBegun(Connection connection) throws SQLException;

    /**
     * Sets the isolation of the transaction that begins with the next statement.
     *
     * @param connection the connection, without autocommit
     * @param level as {@link Connection#setTransactionIsolation} names it
     * @throws SQLException if the database refused
     */
    void isolate(Connection connection, int level) throws SQLException;

    /**
     * What {@link #isolate} changes for longer than a transaction. By default: nothing.
     *
     * @param connection the connection, before it is changed
     * @return the level to set before the connection is given back, if any
     * @throws SQLException if the driver cannot find that out
     */
    default OptionalInt isolationToRestore(Connection connection) throws SQLException {
        return OptionalInt.empty();
    }

    /**
     * Names the transaction that begins, where the database can end one without an error. By default it does nothing.
     *
     * @param connection the connection, before the domain's statements
     * @return the name, for {@link #isTransaction}; empty where an error shows such an end
     * @throws SQLException if the database refused
     */
    default Optional<TransactionName> beginNamed(Connection connection) throws SQLException {
        return Optional.empty();
    }

    /**
     * Whether the transaction is still the one of that name. Only the insert of the record, or the commit, comes after it.
     * So a dialect may use up the name.
     *
     * @param connection the connection
     * @param transaction the name that a claim or lock returned
     * @return whether it is
     * @throws SQLException if it cannot be found out
     */
    boolean isTransaction(Connection connection, TransactionName transaction) throws SQLException;

    /**
     * Whether work that has thrown has ended the transaction of that name before. Only a rollback follows, so a dialect may
     * roll back to find out. By default, {@link #isTransaction} says so. Nothing says so after a passing fault, by which some
     * databases end a transaction themselves.
     *
     * @param connection the connection
     * @param transaction the name that a claim or lock returned
     * @param thrown what the work threw
     * @return whether it has
     * @throws SQLException if it cannot be found out
     */
    default boolean hasEnded(Connection connection, TransactionName transaction, Fault thrown) throws SQLException {
        return !thrown.isTransient() && !isTransaction(connection, transaction);
    }

    /**
     * Statements that commit, besides {@code COMMIT}, or that reset what {@link #isTransaction} looks at. Work that sends
     * one is refused before it has an effect. A statement that is not listed passes, and the end of the transaction shows
     * what it did.
     *
     * @return their first one to three words in upper case, such as {@code CREATE TABLE}
     */
    default Set<String> implicitCommits() {
        return Set.of();
    }

    /**
     * Which other transactions a lock on a record keeps from it, as {@link IdempotencyStore#lockScope} says. By default
     * every one.
     *
     * @return {@link LockScope#NODE} for nodes that lock for themselves, and compare their changes at the commit
     */
    default LockScope lockScope() {
        return LockScope.GLOBAL;
    }

    /**
     * Refuses a transaction that the database would roll back at its commit without saying so.
     *
     * @param connection the connection
     * @throws SQLException if it would
     */
    void requireCommittable(Connection connection) throws SQLException;

    // ---- errors --------------------------------------------------------------------------------------------------

    /**
     * What an error proves. By default, by the SQLSTATEs of the standard. An answer that the database did not give about its
     * own transaction is never taken for a rollback: where in doubt, {@link Fault#UNRECOGNISED}.
     *
     * @param thrown what the driver threw
     * @return what it proves while the connection is open
     */
    default Fault classify(SQLException thrown) {
        return StandardErrors.classify(thrown);
    }

    /**
     * Whether a statement of this dialect was refused for what is missing: its table, one of its columns, or a right. As
     * built, by the classes of the standard, but for a prepared statement of another session behind a gateway.
     *
     * @param thrown what the driver threw
     * @return whether somebody has to act before it can succeed
     */
    default boolean isOutOfReach(SQLException thrown) {
        String state = String.valueOf(thrown.getSQLState());
        return (state.startsWith("42") || state.startsWith("3F")) && !state.equals("42P05");
    }

    /**
     * The constraint that was broken, for messages. It must not contain values. By default: none.
     *
     * @param thrown what the driver threw
     * @return its name, if the driver names it
     */
    default Optional<String> constraint(SQLException thrown) {
        return Optional.empty();
    }

    /**
     * Whether an error in the middle of a call can leave the driver where it reads another call's answer next. By default it
     * can, so that the connection is closed after an {@link Error}.
     *
     * @return whether it can
     */
    default boolean losesStepByErrors() {
        return true;
    }

    /**
     * Ends a connection for good, and rolls back any open transaction on it. For a dialect that could not give the
     * connection its settings back. H2 and some pools do nothing on {@code abort}. Then the driver's own connection is
     * closed. A pool that has not noticed puts the connection back, so a call that fails lets it notice.
     *
     * @param connection the connection
     * @throws SQLException if it cannot be ended
     */
    static void discard(Connection connection) throws SQLException {
        if (!connection.isClosed()) {
            connection.abort(Runnable::run);
            if (!connection.isClosed()) {
                connection.unwrap(Connection.class).close();
            }
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1");
        } catch (SQLException noticed) {
            // As it has to be: the connection is closed.
        }
    }

    /** Finds out whether a database is that of a dialect. Found by {@link java.util.ServiceLoader}. */
    interface Provider {

        /**
         * The dialect for the database of a connection.
         *
         * @param connection any connection; nothing is left open on it
         * @return the dialect, for {@link RecordTable#DEFAULT}; empty if the database is another one
         * @throws SQLException if the database cannot be asked
         * @throws IllegalStateException if the database speaks as this one does, and cannot keep the promises
         */
        Optional<Dialect> dialectFor(Connection connection) throws SQLException;
    }

    /**
     * A refusal in a dialect's own words. They are shown to users, so they contain no values: they say what was expected,
     * what was found, and what to do.
     */
    final class Refusal extends SQLException {
        private static final long serialVersionUID = 1L;

        /**
         * A refusal.
         *
         * @param what what was expected, what was found, what to do
         * @param sqlState the state by which {@link Dialect#classify} sees what it proves
         * @param cause what the driver threw, if anything
         */
        public Refusal(String what, String sqlState, @Nullable Throwable cause) {
            super(what, sqlState, cause);
        }
    }
}
