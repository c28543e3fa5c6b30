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
 * exclude, and how durable their commits are. No method commits.
 */
public interface TransactionRules {

    /** Statements that choose a schema or a database, on any database that has them. */
    Set<String> SCHEMA_CHOICES = Set.of(
            "USE",
            "RESET SEARCH_PATH",
            "SET SCHEMA",
            "SET SCHEMA_SEARCH_PATH",
            "SET SEARCH_PATH",
            "SET SESSION SCHEMA",
            "SET SESSION SEARCH_PATH");

    /**
     * Returns whether a transaction has begun on a connection that was just borrowed.
     *
     * @param connection the connection
     * @return whether one has; false if that cannot be determined
     * @throws SQLException if the connection is broken
     */
    boolean hasBegun(Connection connection) throws SQLException;

    /**
     * Sets the isolation of the transaction that begins with the next statement.
     *
     * @param connection the connection, without autocommit
     * @param level the level, as in {@link Connection#setTransactionIsolation}
     * @throws SQLException if the database rejects it
     */
    void isolate(Connection connection, int level) throws SQLException;

    /**
     * Returns what {@link #isolate} changes for longer than a transaction. By default, returns empty.
     *
     * @param connection the connection, before it is changed
     * @return the level to restore before the connection is returned, if any
     * @throws SQLException if the driver cannot determine this
     */
    default OptionalInt isolationToRestore(Connection connection) throws SQLException {
        return OptionalInt.empty();
    }

    /**
     * Names the transaction that begins, if the database can end one without an error. By default, does nothing.
     *
     * @param connection the connection, before the domain's statements
     * @return the name, for {@link #isTransaction}; empty if such an end is reported as an error
     * @throws SQLException if the database rejects it
     */
    default Optional<TransactionName> beginNamed(Connection connection) throws SQLException {
        return Optional.empty();
    }

    /**
     * Returns whether the first step of a transaction (a claim, a name, or a claim with its lock) also turns autocommit
     * off. The caller informs the driver afterwards, even if the step has failed. By default, autocommit is turned off
     * beforehand.
     *
     * @param connection the connection
     * @return whether it does
     * @throws SQLException if the driver cannot determine this
     */
    default boolean turnsAutoCommitOff(Connection connection) throws SQLException {
        return false;
    }

    /**
     * Returns whether the current transaction still has the given name. Only the insert of the record or the commit
     * follows, so a dialect may use up the name.
     *
     * @param connection the connection
     * @param transaction the name that a claim or lock returned
     * @return whether it does
     * @throws SQLException if this cannot be determined
     */
    boolean isTransaction(Connection connection, TransactionName transaction) throws SQLException;

    /**
     * Returns whether work that threw has ended the named transaction earlier. Only a rollback follows, so a dialect
     * may roll back to find out. By default, calls {@link #isTransaction}, but returns false after a transient fault,
     * after which some databases end a transaction themselves.
     *
     * @param connection the connection
     * @param transaction the name that a claim or lock returned
     * @param thrown the exception thrown by the work
     * @return whether it has
     * @throws SQLException if this cannot be determined
     */
    default boolean hasEnded(Connection connection, TransactionName transaction, Fault thrown) throws SQLException {
        return !thrown.isTransient() && !isTransaction(connection, transaction);
    }

    /**
     * Returns statements other than {@code COMMIT} that commit or that reset what {@link #isTransaction} checks. They
     * are rejected before they have an effect. A statement that is not listed passes, and the end of the transaction
     * reveals what it did.
     *
     * @return the first one to three words of each in upper case, such as {@code CREATE TABLE}
     */
    default Set<String> implicitCommits() {
        return Set.of();
    }

    /**
     * Returns statements that choose the table of an unqualified name and outlast the transaction. If the table of the
     * records is named without its schema, they are rejected. By default, returns {@link #SCHEMA_CHOICES}.
     *
     * @return the first one to three words of each in upper case, such as {@code SET SCHEMA}
     */
    default Set<String> tableChoices() {
        return SCHEMA_CHOICES;
    }

    /**
     * Returns what the tables of unqualified names depend on, as far as the driver knows it without a round trip. If
     * the work has changed it in a way that is not rejected, the connection is closed after the call. By default,
     * returns empty.
     *
     * @param connection the connection
     * @return a value that changes with them
     * @throws SQLException if the connection is broken
     */
    default Optional<String> knownTableChoice(Connection connection) throws SQLException {
        return Optional.empty();
    }

    /**
     * Returns whether the work has left something open for which the driver makes every other statement wait, so that
     * only terminating the connection ends the transaction. Called only if the work has obtained a driver object. By
     * default, returns false.
     *
     * @param connection the connection
     * @return whether it has
     * @throws SQLException if the driver cannot determine this
     */
    default boolean isBlocked(Connection connection) throws SQLException {
        return false;
    }

    /**
     * Throws if the database would silently roll back the transaction at its commit.
     *
     * @param connection the connection
     * @throws SQLException if it would
     */
    void requireCommittable(Connection connection) throws SQLException;

    /**
     * Returns which other transactions are excluded by a lock on a record, as in {@link IdempotencyStore#lockScope}. By
     * default, all of them.
     *
     * @return the scope; {@link LockScope#NODE} for nodes that have their own locks and compare their changes at commit
     */
    default LockScope lockScope() {
        return LockScope.GLOBAL;
    }

    /**
     * Returns a statement that is its own transaction and whose commit proves that everything before it in the
     * database's history is as durable as that commit. It touches no table. By default, returns none.
     *
     * @return the statement, if the database has one
     */
    default Optional<String> barrier() {
        return Optional.empty();
    }

    /**
     * Returns a query that takes a lock on a number until the transaction ends. It does not wait; its single row says
     * whether it has the lock. By default, returns none.
     *
     * @return the query, with the number as its parameter, if the database has one
     */
    default Optional<String> turn() {
        return Optional.empty();
    }
}
