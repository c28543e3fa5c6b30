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
 * How transactions of a database begin and end: their names, what ends them, which others their locks keep out, and how durable
 * their commit is. No method commits.
 */
public interface TransactionRules {

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
     * Whether the first step of a transaction turns autocommit off with what it sends: a claim, a name, or a claim with its
     * lock. The caller lets the driver know afterwards, even if the step has failed. By default it is turned off before.
     *
     * @param connection the connection
     * @return whether it does
     * @throws SQLException if the driver cannot find that out
     */
    default boolean turnsAutoCommitOff(Connection connection) throws SQLException {
        return false;
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
     * Refuses a transaction that the database would roll back at its commit without saying so.
     *
     * @param connection the connection
     * @throws SQLException if it would
     */
    void requireCommittable(Connection connection) throws SQLException;

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
     * A statement that is a transaction of its own, and whose commit shows that everything before it in the database's history
     * is as durable as that commit. It touches no table. By default: none.
     *
     * @return the statement, if the database has one
     */
    default Optional<String> barrier() {
        return Optional.empty();
    }

    /**
     * A query that takes a lock, by a number, until the transaction ends. It does not wait. Its one row says whether it has
     * the lock. By default: none.
     *
     * @return the query, with the number as its parameter, if the database has one
     */
    default Optional<String> turn() {
        return Optional.empty();
    }
}
