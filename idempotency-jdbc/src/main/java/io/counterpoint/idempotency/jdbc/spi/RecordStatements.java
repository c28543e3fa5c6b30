package io.counterpoint.idempotency.jdbc.spi;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.LastStep;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The statements on records: on one, and on many, which by default are one after the other. No method commits or rolls back, except where a step is a
 * transaction of its own: with autocommit.
 */
public interface RecordStatements {

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
     * Inserts many records, or none: where one of their keys has a record, the transaction is of no further use. By default
     * it is {@link #insertAll}.
     *
     * @param connection a connection in a transaction
     * @param records records of different keys, in the order in which they are inserted
     * @param options how to insert them
     * @return whether all were inserted; it may throw instead
     * @throws SQLException as {@link #insert}, or because of the record that is there
     */
    default boolean insertEach(Connection connection, List<? extends IdempotencyRecord> records, ClaimOptions options)
            throws SQLException {
        return insertAll(connection, records, options).values().stream().allMatch(InsertResult::inserted);
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
}
