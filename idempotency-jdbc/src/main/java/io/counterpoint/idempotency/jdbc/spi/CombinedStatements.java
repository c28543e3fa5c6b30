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
     * Returns the same statements with autocommit turned on after the COMMIT. By default, not supported.
     *
     * @param connection the connection
     * @return the statements, if supported
     * @throws SQLException if the driver cannot determine this
     */
    default Optional<CombinedStatements> turningAutoCommitOn(Connection connection) throws SQLException {
        return Optional.empty();
    }

    /**
     * Inserts a record unless there is one with its key and commits; then locks it in the next transaction.
     *
     * @param connection a connection on which no transaction has begun, without autocommit unless {@link
     *     TransactionRules#turnsAutoCommitOff}
     * @param pending the record
     * @param options how to claim it
     * @return whether it was inserted and, if the next transaction has the lock, the database's name for it; that
     *     transaction is open in any case
     * @throws SQLException if the database rejected it or its reply was lost; the claim may then be committed
     */
    InsertResult claimAndLock(Connection connection, Pending pending, ClaimOptions options) throws SQLException;

    /**
     * Reads a record and ends the transaction, which has changed nothing.
     *
     * @param connection the connection
     * @param key the record's key
     * @return the record, if there is one
     * @throws SQLException if the database rejected it or its reply was lost
     */
    Optional<IdempotencyRecord> readAndEnd(Connection connection, IdempotencyKey key) throws SQLException;

    /**
     * Returns whether {@link #succeedAndCommit} can be used on this connection. By default, it can.
     *
     * @param connection the connection
     * @return whether it can
     * @throws SQLException if the driver cannot determine this
     */
    default boolean marksWithCommit(Connection connection) throws SQLException {
        return true;
    }

    /**
     * Marks a record as succeeded and commits. The domain's statements precede it in the same transaction.
     *
     * @param connection the connection
     * @param key the record's key
     * @param token the token that a pending record has to have
     * @param result the result; if empty, what the claim stored is kept
     * @param transaction the database's name for the transaction, which must be the current one
     * @return whether the record was changed; if not, the database did not commit the transaction
     * @throws SQLException if the database rejected it or its reply was lost; the transaction may then be committed
     */
    boolean succeedAndCommit(
            Connection connection,
            IdempotencyKey key,
            UUID token,
            Optional<Payload> result,
            TransactionName transaction)
            throws SQLException;

    /**
     * Commits if the current transaction still has the given name.
     *
     * @param connection the connection
     * @param transaction the database's name for the transaction
     * @return whether it does; if not, the database did not commit
     * @throws SQLException if the database rejected it or its reply was lost; the transaction may then be committed
     */
    boolean checkAndCommit(Connection connection, TransactionName transaction) throws SQLException;

    /**
     * Returns whether {@link #insertAndCommit} accepts this many records at once. By default, it accepts any number.
     *
     * @param records how many, at least one
     * @return whether it does
     */
    default boolean insertsTogether(int records) {
        return true;
    }

    /**
     * Inserts records unconditionally, in the order of the list, and commits. If the database rejects an insert, it
     * does not reach the commit.
     *
     * @param connection the connection
     * @param records records of different keys, at least one; if there are several, none is {@code Failed}
     * @param options how to insert them; the wait also applies to whatever the commit waits for; the named transaction,
     *     if any, must be the current one
     * @return whether all records were inserted; if not, the transaction was committed without one of them, or was not
     *     the named one
     * @throws SQLException if the database rejected it or its reply was lost; the transaction may then be committed
     */
    boolean insertAndCommit(Connection connection, List<? extends IdempotencyRecord> records, ClaimOptions options)
            throws SQLException;
}
