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
 * The statements on single records, and on many, which by default run one by one. No method commits or rolls back,
 * unless a step has its own transaction, with autocommit.
 */
public interface RecordStatements {

    /** The longest time that a compare-and-set with its own transaction waits for the record's lock. */
    Duration LOCK_WAIT = Duration.ofSeconds(1);

    /**
     * Inserts a record unless one with its key exists.
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
     * @param wait the longest wait; zero means not at all
     * @param transaction the name that an earlier step has given to the transaction; empty in its first step
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
     * @param autoCommit whether the change has its own transaction, which waits for at most {@link #LOCK_WAIT}
     * @param values the values of the change, as {@link RecordChange} lists them
     * @return whether the record was changed
     * @throws SQLException if the database rejected it or did not reply
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
     * @param autoCommit whether this has its own transaction
     * @return whether there is a record with that token
     * @throws SQLException if the database rejected it or did not reply
     */
    boolean confirm(Connection connection, IdempotencyKey key, UUID token, boolean autoCommit) throws SQLException;

    /**
     * Deletes records whose retention has ended, except those that are {@code Pending}. If it throws, nothing in the
     * batch was deleted, because it is a single statement or transaction.
     *
     * @param connection a connection with autocommit
     * @param from where the previous batch ended: records whose retention ended earlier can be skipped
     * @param batch the maximum number of records
     * @return what was deleted
     * @throws SQLException if the database rejected it or did not reply
     */
    PurgedBatch purge(Connection connection, OffsetDateTime from, int batch) throws SQLException;

    /**
     * Returns statements that combine several steps in one round trip, if this connection supports them. By default:
     * none.
     *
     * @param connection the connection
     * @return the statements, if it can
     * @throws SQLException if the driver cannot find that out
     */
    default Optional<CombinedStatements> combined(Connection connection) throws SQLException {
        return Optional.empty();
    }

    /**
     * Reads many records at once. By default, it reads them one by one.
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
     * Inserts many records in the order of the list, skipping those whose key already has a record. By default, it
     * inserts them one by one, all in the transaction that the first insert has named.
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
     * Inserts many records or none: if one of their keys already has a record, the transaction can only be rolled back.
     * By default it is {@link #insertAll}.
     *
     * @param connection a connection in a transaction
     * @param records records of different keys, in the order in which they are inserted
     * @param options how to insert them
     * @return whether all were inserted; it may throw instead
     * @throws SQLException as {@link #insert}, or because of an existing record
     */
    default boolean insertEach(Connection connection, List<? extends IdempotencyRecord> records, ClaimOptions options)
            throws SQLException {
        return insertAll(connection, records, options).values().stream().allMatch(InsertResult::inserted);
    }

    /**
     * Marks records as {@code Succeeded} that this transaction has inserted. By default, one by one.
     *
     * @param connection the connection
     * @param successes the records
     * @param transaction the name of the transaction in which they were inserted; null if the database has none
     * @return whether all of them were changed; otherwise, the transaction can only be rolled back
     * @throws SQLException if the database rejected it or did not reply
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
