package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.Dialect.ClaimOptions;
import io.counterpoint.idempotency.jdbc.Dialect.InsertResult;
import io.counterpoint.idempotency.jdbc.Dialect.SuccessMark;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** Several steps in one round trip, for databases and drivers that send statements together. */
interface CombinedStatements {

    /**
     * Inserts a record unless there is one with its key, and commits; then, in the next transaction, locks it.
     *
     * @return whether it was inserted, and the database's name for the next transaction, which is open in any case, if
     *     that has the lock
     */
    InsertResult claimAndLock(Connection connection, Pending pending, ClaimOptions options) throws SQLException;

    /** Reads a record, and ends the transaction, which has changed nothing. */
    Optional<IdempotencyRecord> readAndEnd(Connection connection, IdempotencyKey key) throws SQLException;

    /** Whether {@link #succeedAndCommit} can be used on this connection. */
    boolean marksWithCommit(Connection connection) throws SQLException;

    /**
     * Marks a record as succeeded, and commits.
     *
     * @return whether the record was changed; if not, the database refuses to commit the transaction
     */
    boolean succeedAndCommit(Connection connection, SuccessMark mark) throws SQLException;

    /**
     * Commits, if the transaction is still the one of that name.
     *
     * @return whether it is; if not, the database refuses to commit
     */
    boolean guardAndCommit(Connection connection, String transaction) throws SQLException;
}
