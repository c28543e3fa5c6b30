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
 * The statements on single records and on many, which by default are processed one after the other. No method commits
 * or rolls back, except if a step is its own transaction, with autocommit.
 */
public interface RecordStatements {

    /** The maximum time a compare-and-set that is its own transaction waits for the record's lock. */
    Duration LOCK_WAIT = Duration.ofSeconds(1);

    /**
     * Inserts a record unless there is one with its key.
     *
     * @param connection the connection
     * @param record the record, {@code Pending} or {@code Failed}
     * @param options how to claim it
     * @return whether it was inserted
     * @throws SQLException a {@link Fault#LOCK_TIMEOUT} if and only if another claim of the key did not end within the
     *     wait
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
     * Locks a record until the transaction ends and reads it under the lock.
     *
     * @param connection a connection in a transaction
     * @param key its key
     * @param wait the maximum wait; zero to not wait at all
     * @param transaction the name that an earlier step has given to the transaction; empty at its first step
     * @return the record, if there is one
     * @throws SQLException a {@link Fault#LOCK_TIMEOUT} if another transaction held the lock
     */
    Optional<LockedRecord> lock(
            Connection connection, IdempotencyKey key, Duration wait, Optional<TransactionName> transaction)
            throws SQLException;

    /**
     * Compares and sets: changes the record only if it is {@code Pending} under the given token.
     *
     * @param connection the connection
     * @param change which change
     * @param key the record's key
     * @param token its token
     * @param autoCommit whether the change is its own transaction, which waits at most {@link #LOCK_WAIT}
     * @param values the values of the change, as {@link RecordChange} lists them
     * @return whether the record was changed
     * @throws SQLException if the database rejected it or its reply was lost
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
     * Updates only the time of a record's last change, in any state, with a durable commit.
     *
     * @param connection the connection
     * @param key the record's key
     * @param token its token
     * @param autoCommit whether this is its own transaction
     * @return whether there is a record under that token
     * @throws SQLException if the database rejected it or its reply was lost
     */
    boolean confirm(Connection connection, IdempotencyKey key, UUID token, boolean autoCommit) throws SQLException;

    /**
     * Deletes records whose retention has ended, except those that are {@code Pending}. If it throws, nothing of the
     * batch is deleted: it is one statement or one transaction.
     *
     * @param connection a connection with autocommit
     * @param from where the previous batch ended: records whose retention ended earlier need not be examined
     * @param batch the maximum number of records
     * @return the deleted batch
     * @throws SQLException if the database rejected it or its reply was lost
     */
    PurgedBatch purge(Connection connection, OffsetDateTime from, int batch) throws SQLException;

    /**
     * Returns statements that perform several steps in one round trip, if this connection can send them. By default,
     * returns none.
     *
     * @param connection the connection
     * @return the statements, if supported
     * @throws SQLException if the driver cannot determine this
     */
    default Optional<CombinedStatements> combined(Connection connection) throws SQLException {
        return Optional.empty();
    }

    /**
     * Reads many records at once. By default, reads one after the other.
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
     * Inserts many records in the order of the list, each unless there is one with its key. By default, inserts one
     * after the other, all in the transaction that the first insert has named.
     *
     * @param connection a connection in a transaction
     * @param records records of different keys
     * @param options how to claim them
     * @return whether the record was inserted, for each key
     * @throws SQLException as in {@link #insert}
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
     * Inserts either all records or none: if one of their keys has a record, the transaction cannot be used further. By
     * default, calls {@link #insertAll}.
     *
     * @param connection a connection in a transaction
     * @param records records of different keys, in the order in which they are inserted
     * @param options how to insert them
     * @return whether all were inserted; may throw instead
     * @throws SQLException as in {@link #insert}, or because of an existing record
     */
    default boolean insertEach(Connection connection, List<? extends IdempotencyRecord> records, ClaimOptions options)
            throws SQLException {
        return insertAll(connection, records, options).values().stream().allMatch(InsertResult::inserted);
    }

    /**
     * Marks records that this transaction has inserted as {@code Succeeded}. By default, one after the other.
     *
     * @param connection the connection
     * @param successes the records
     * @param transaction the name of the transaction in which they were inserted; null if the database has none
     * @return whether all of them were changed; otherwise the transaction cannot be used further
     * @throws SQLException if the database rejected it or its reply was lost
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
