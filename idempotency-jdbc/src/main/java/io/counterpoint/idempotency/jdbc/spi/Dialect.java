package io.counterpoint.idempotency.jdbc.spi;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One database: the statements on its records, its table, how its transactions begin and end, and what its errors prove. Each of
 * these is an interface of its own. {@link RecordRow} binds and reads records. An implementation is immutable and thread-safe.
 *
 * <p>The promises of the library rest on these: an insert of a key that another transaction has inserted waits for that
 * transaction; a lock on a record lasts until its transaction ends; every change names the state {@code Pending} and the
 * token; times are the database's. The contract of stores shows whether they hold.
 */
public interface Dialect extends RecordStatements, TableDescription, TransactionRules, ErrorRules {

    /**
     * The same dialect for another table.
     *
     * @param other the table
     * @return the dialect
     */
    Dialect withTable(RecordTable other);

    /**
     * Ends a connection for good, and rolls back any open transaction on it. For a dialect that could not give the
     * connection its settings back. H2 and some pools do nothing on {@code abort}. Then the driver's own connection is
     * closed. A pool that has not noticed puts the connection back, so a call that fails lets it notice.
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

    /** Finds out whether a database is that of a dialect. Found by {@link java.util.ServiceLoader}. */
    interface Provider {

        /**
         * The dialect for the database of a connection.
         *
         * @param connection any connection; nothing is left open on it
         * @return the dialect, for {@link RecordTable#DEFAULT}; empty if the database is another one
         * @throws SQLException if the database cannot be asked
         * @throws IllegalStateException if the database speaks as this one does, and cannot keep the promises
         */
        Optional<Dialect> dialectFor(Connection connection) throws SQLException;
    }

    /**
     * A refusal in a dialect's own words. They are shown to users, so they contain no values: they say what was expected,
     * what was found, and what to do.
     */
    final class Refusal extends SQLException {
        private static final long serialVersionUID = 1L;

        /**
         * A refusal.
         *
         * @param what what was expected, what was found, what to do
         * @param sqlState the state by which {@link Dialect#classify} sees what it proves
         * @param cause what the driver threw, if anything
         */
        public Refusal(String what, String sqlState, @Nullable Throwable cause) {
            super(what, sqlState, cause);
        }
    }
}
