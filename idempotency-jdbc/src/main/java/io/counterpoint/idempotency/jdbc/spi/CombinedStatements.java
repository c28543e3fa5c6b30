package io.counterpoint.idempotency.jdbc.spi;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Several steps in one round trip, for databases and drivers that send statements together. Optional for a dialect. */
public interface CombinedStatements {

    /**
     * The same statements, with autocommit turned on after the COMMIT. By default nothing does that.
     *
     * @param connection the connection
     * @return the statements, if they support that
     * @throws SQLException if the driver cannot find that out
     */
    default Optional<CombinedStatements> turningAutoCommitOn(Connection connection) throws SQLException {
        return Optional.empty();
    }

    /**
     * Inserts a record unless there is one with its key, and commits; then, in the next transaction, locks it.
     *
     * @param connection a connection on which no transaction has begun, without autocommit unless {@link
     *     TransactionRules#turnsAutoCommitOff}
     * @param pending the record
     * @param options how to claim it
     * @return whether it was inserted, and, if the lock was acquired, the database's name for the next transaction,
     *     which is open in either case
     * @throws SQLException if the database rejected it or did not reply; the claim may then be committed
     */
    InsertResult claimAndLock(Connection connection, Pending pending, ClaimOptions options) throws SQLException;

    /**
     * Reads a record and ends the transaction, which has changed nothing.
     *
     * @param connection the connection
     * @param key the record's key
     * @return the record, if there is one
     * @throws SQLException if the database rejected it or did not reply
     */
    Optional<IdempotencyRecord> readAndEnd(Connection connection, IdempotencyKey key) throws SQLException;

    /**
     * Whether {@link #succeedAndCommit} can be used on this connection. By default it can.
     *
     * @param connection the connection
     * @return whether it can
     * @throws SQLException if the driver cannot find that out
     */
    default boolean marksWithCommit(Connection connection) throws SQLException {
        return true;
    }

    /**
     * Marks a record as succeeded, and commits. The domain's statements came earlier in the same transaction.
     *
     * @param connection the connection
     * @param key the record's key
     * @param token the token that the pending record must have
     * @param result the result; if empty, the plan stored by the claim remains
     * @param transaction the database's name for the transaction, which must still be the current one
     * @return whether the record was changed; if not, the database has refused to commit the transaction
     * @throws SQLException if the database rejected it or did not reply; the transaction may then be committed
     */
    boolean succeedAndCommit(
            Connection connection,
            IdempotencyKey key,
            UUID token,
            Optional<Payload> result,
            TransactionName transaction)
            throws SQLException;

    /**
     * Commits if the transaction still has that name.
     *
     * @param connection the connection
     * @param transaction the database's name for the transaction
     * @return whether it is; if not, the database has rejected the commit
     * @throws SQLException if the database rejected it or did not reply; the transaction may then be committed
     */
    boolean checkAndCommit(Connection connection, TransactionName transaction) throws SQLException;

    /**
     * Whether {@link #insertAndCommit} accepts this many records at once. By default, it accepts any number.
     *
     * @param records how many, at least one
     * @return whether it does
     */
    default boolean insertsTogether(int records) {
        return true;
    }

    /**
     * Inserts records, without any condition and in the order of the list, and commits. If the database rejects an
     * insert, it does not reach the commit.
     *
     * @param connection the connection
     * @param records records of different keys, at least one; none of several is {@code Failed}
     * @param options how to insert them; its wait also limits the waits of the commit; its transaction, if named, must
     *     be the current one
     * @return whether all records were inserted; if not, the transaction is committed without one of them, or was not
     *     the named one
     * @throws SQLException if the database rejected it or did not reply; the transaction may then be committed
     */
    boolean insertAndCommit(Connection connection, List<? extends IdempotencyRecord> records, ClaimOptions options)
            throws SQLException;
}
