package io.counterpoint.idempotency.jdbc.spi;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Support for one database: the statements on its records, its table, how its transactions begin and end, and what its
 * errors prove. Each of these is an interface of its own. {@link RecordRow} binds and reads records. An implementation
 * is immutable and thread-safe.
 *
 * <p>The library's guarantees depend on the following: inserting a key that another transaction has inserted waits for
 * that transaction; a lock on a record lasts until its transaction ends; every change requires the state {@code
 * Pending} and the token; times are the database's. The contract of stores tests all of them.
 */
public interface Dialect extends RecordStatements, TableDescription, TransactionRules, ErrorRules {

    /**
     * Returns the same dialect for another table.
     *
     * @param other the table
     * @return the dialect
     */
    Dialect withTable(RecordTable other);

    /**
     * Ends a connection for good, and rolls back any open transaction on it. For a dialect that could not restore the
     * connection's settings. On H2 and some pools, {@code abort} does nothing. In that case, the driver's own
     * connection is closed. A pool that does not notice would return the connection to use, so a failing call makes it
     * notice.
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

    /** Detects whether a dialect supports a database. Found by {@link java.util.ServiceLoader}. */
    interface Provider {

        /**
         * Returns the dialect for a connection's database.
         *
         * @param connection any connection; nothing is left open on it
         * @return the dialect, for {@link RecordTable#DEFAULT}; empty for any other database
         * @throws SQLException if the database cannot be queried
         * @throws IllegalStateException if the database speaks the same protocol but cannot provide the guarantees
         */
        Optional<Dialect> dialectFor(Connection connection) throws SQLException;
    }

    /**
     * A refusal in a dialect's own words. Users see the messages, so they contain no values: they state what was
     * expected, what was found, and what to do.
     */
    final class Refusal extends SQLException {
        private static final long serialVersionUID = 1L;

        /**
         * A refusal.
         *
         * @param what what was expected, what was found, what to do
         * @param sqlState the state from which {@link Dialect#classify} determines what it proves
         * @param cause the driver's exception, if any
         */
        public Refusal(String what, String sqlState, @Nullable Throwable cause) {
            super(what, sqlState, cause);
        }
    }
}
