package io.counterpoint.idempotency.jdbc.spi;

import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.LockScope;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * How transactions of a database begin and end: their names, what ends them, which other transactions their locks
 * exclude, and how durable their commit is. No method commits.
 */
public interface TransactionRules {

    /**
     * Whether a transaction has begun on a connection that has just been borrowed.
     *
     * @param connection the connection
     * @return also false if that cannot be determined
     * @throws SQLException if the connection is broken
     */
    boolean hasBegun(Connection connection) throws SQLException;

    /**
     * Sets the isolation of the transaction that begins with the next statement.
     *
     * @param connection the connection, without autocommit
     * @param level as {@link Connection#setTransactionIsolation} names it
     * @throws SQLException if the database rejected it
     */
    void isolate(Connection connection, int level) throws SQLException;

    /**
     * Returns what {@link #isolate} changes beyond a transaction. By default: nothing.
     *
     * @param connection the connection, before it is changed
     * @return the level to restore before the connection is returned, if any
     * @throws SQLException if the driver cannot find that out
     */
    default OptionalInt isolationToRestore(Connection connection) throws SQLException {
        return OptionalInt.empty();
    }

    /**
     * Names the transaction that begins, if the database can end one without an error. By default it does nothing.
     *
     * @param connection the connection, before the domain's statements
     * @return the name, for {@link #isTransaction}; empty if an error always reveals such an end
     * @throws SQLException if the database rejected it
     */
    default Optional<TransactionName> beginNamed(Connection connection) throws SQLException {
        return Optional.empty();
    }

    /**
     * Whether the first step of a transaction (a claim, a name, or a claim with its lock) turns autocommit off in the
     * same message. The caller informs the driver afterwards, even if the step has failed. By default, it is turned off
     * beforehand.
     *
     * @param connection the connection
     * @return whether it does
     * @throws SQLException if the driver cannot find that out
     */
    default boolean turnsAutoCommitOff(Connection connection) throws SQLException {
        return false;
    }

    /**
     * Whether the transaction still has that name. Only the insert of the record, or the commit, follows.
     * So a dialect may use up the name.
     *
     * @param connection the connection
     * @param transaction the name that a claim or lock returned
     * @return whether it is
     * @throws SQLException if it cannot be determined
     */
    boolean isTransaction(Connection connection, TransactionName transaction) throws SQLException;

    /**
     * Whether work that threw had already ended the transaction with that name. Only a rollback follows, so a dialect
     * may roll back to find out. By default, {@link #isTransaction} says so. After a transient fault, this proves
     * nothing, because some databases then end a transaction themselves.
     *
     * @param connection the connection
     * @param transaction the name that a claim or lock returned
     * @param thrown what the work threw
     * @return whether it has
     * @throws SQLException if it cannot be determined
     */
    default boolean hasEnded(Connection connection, TransactionName transaction, Fault thrown) throws SQLException {
        return !thrown.isTransient() && !isTransaction(connection, transaction);
    }

    /**
     * Statements other than {@code COMMIT} that commit, or that reset the state that {@link #isTransaction} inspects.
     * Such a statement in the work is rejected before it has an effect. A statement that is not listed is not rejected;
     * its effect is detected at the end of the transaction.
     *
     * @return the first one to three words of each in upper case, such as {@code CREATE TABLE}
     */
    default Set<String> implicitCommits() {
        return Set.of();
    }

    /**
     * Rejects a transaction that the database would silently roll back at its commit.
     *
     * @param connection the connection
     * @throws SQLException if it would
     */
    void requireCommittable(Connection connection) throws SQLException;

    /**
     * Which other transactions a lock on a record excludes; see {@link IdempotencyStore#lockScope}. By default
     * every one.
     *
     * @return {@link LockScope#NODE} for nodes whose locks are local and that compare changes at the commit
     */
    default LockScope lockScope() {
        return LockScope.GLOBAL;
    }

    /**
     * A statement with its own transaction, whose commit shows that everything before it in the database's history is
     * as durable as that commit. It touches no table. By default: none.
     *
     * @return the statement, if the database has one
     */
    default Optional<String> barrier() {
        return Optional.empty();
    }

    /**
     * A query that takes a lock on a number until the transaction ends. It does not wait. Its single row tells whether
     * it got the lock. By default: none.
     *
     * @return the query, with the number as its parameter, if the database has one
     */
    default Optional<String> turn() {
        return Optional.empty();
    }
}
