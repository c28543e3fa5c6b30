package io.counterpoint.idempotency.jdbc.spi;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One database: the statements on its records, its table, how its transactions begin and end, and what its errors
 * prove. Each of these is a separate interface. {@link RecordRow} binds and reads records. Implementations are
 * immutable and thread-safe.
 *
 * <p>The library's promises depend on the following: an insert of a key that another transaction has inserted waits for
 * that transaction; a lock on a record lasts until its transaction ends; every change requires the state {@code
 * Pending} and the token; times come from the database. The store contract tests verify this.
 */
public interface Dialect extends RecordStatements, TableDescription, TransactionRules, ErrorRules {

    /**
     * Returns this dialect for a different table.
     *
     * @param other the table
     * @return the dialect
     */
    Dialect withTable(RecordTable other);

    /**
     * Terminates a connection, which rolls back any open transaction on it. Use it in a dialect that could not restore
     * the connection's settings. The driver's own connection is terminated, because on {@code abort}, some pools only
     * detach it from the caller, with its transaction and without room for another one. H2 does nothing on {@code
     * abort}, so it is closed. Because a pool that does not notice would reuse the connection, a failing call makes it
     * notice.
     *
     * @param connection the connection
     * @throws SQLException if it cannot be terminated
     */
    static void discard(Connection connection) throws SQLException {
        if (!connection.isClosed()) {
            Connection driver = connection.unwrap(Connection.class);
            driver.abort(Runnable::run);
            if (!driver.isClosed()) {
                driver.close();
            }
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1");
        } catch (SQLException noticed) {
            // Expected: the connection is closed.
        }
    }

    /** Detects the database of a dialect. Discovered by {@link java.util.ServiceLoader}. */
    interface Provider {

        /**
         * Returns the dialect for the database of a connection.
         *
         * @param connection any connection; nothing is left open on it
         * @return the dialect, for {@link RecordTable#DEFAULT}; empty for any other database
         * @throws SQLException if the database cannot be queried
         * @throws IllegalStateException if the database speaks the protocol of this one but cannot keep the promises
         */
        Optional<Dialect> dialectFor(Connection connection) throws SQLException;
    }

    /**
     * A rejection with the dialect's own message. The message is shown to users, so it contains no values: it says what
     * was expected, what was found and what to do.
     */
    final class Refusal extends SQLException {
        private static final long serialVersionUID = 1L;

        /**
         * Creates an exception.
         *
         * @param what what was expected, what was found, what to do
         * @param sqlState the state from which {@link Dialect#classify} derives what it proves
         * @param cause the exception thrown by the driver, if any
         */
        public Refusal(String what, String sqlState, @Nullable Throwable cause) {
            super(what, sqlState, cause);
        }
    }
}
