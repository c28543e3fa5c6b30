package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.jdbc.session.StoreException;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import org.jdbi.v3.core.Handle;

/** Creates the table by the statements that users copy. */
final class Schema {

    private Schema() {}

    static void create(Handle handle, Dialect dialect) {
        try {
            handle.createScript(dialect.schema()).execute();
            commit(handle, dialect);
        } catch (RuntimeException thrown) {
            // Two processes that create at once collide in the catalogue; what counts is what is there now.
            rollback(handle, thrown);
            try {
                TableCheck.check(handle.getConnection(), dialect);
            } catch (RuntimeException notThere) {
                notThere.addSuppressed(thrown);
                throw notThere;
            }
        }
    }

    private static void commit(Handle handle, Dialect dialect) {
        try {
            Connection connection = handle.getConnection();
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
        } catch (SQLException thrown) {
            throw StoreException.of("Could not create the table", dialect, handle.getConnection(), thrown);
        }
    }

    private static void rollback(Handle handle, RuntimeException because) {
        try {
            Connection connection = handle.getConnection();
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
        } catch (SQLException thrown) {
            because.addSuppressed(thrown);
        }
    }
}
