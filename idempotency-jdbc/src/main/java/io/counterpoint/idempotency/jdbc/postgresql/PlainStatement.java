package io.counterpoint.idempotency.jdbc.postgresql;

import io.counterpoint.idempotency.jdbc.session.CommitWarning;
import io.counterpoint.idempotency.jdbc.session.Sql;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordRow;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Single statements with a bound of their waits for locks: a setting, which is given back. */
public final class PlainStatement {

    private PlainStatement() {}

    /**
     * With a bound of its waits, for its transaction only: a gateway may give the next statement another session. What
     * fails ends the transaction, and with it the bound.
     */
    public static <T> T bounded(Connection connection, Duration wait, String sql, Sql.Use<T> step) throws SQLException {
        if (connection.getAutoCommit()) {
            return boundedAlone(connection, wait, sql, step);
        }
        String before = String.valueOf(Sql.single(connection, "SHOW lock_timeout"));
        bound(connection, Long.toString(RecordRow.millis(wait)));
        T result = Sql.prepared(connection, sql, step);
        bound(connection, before);
        return result;
    }

    private static void bound(Connection connection, String timeout) throws SQLException {
        Sql.execute(connection, "SET LOCAL lock_timeout = '" + timeout + "'");
    }

    private static <T> T boundedAlone(Connection connection, Duration wait, String sql, Sql.Use<T> step)
            throws SQLException {
        connection.setAutoCommit(false);
        T result;
        try {
            bound(connection, Long.toString(RecordRow.millis(wait)));
            result = Sql.prepared(connection, sql, step);
            connection.clearWarnings();
            connection.commit();
            CommitWarning.requireNone(connection.getWarnings());
        } catch (SQLException thrown) {
            end(connection, true);
            throw thrown;
        }
        end(connection, false);
        return result;
    }

    /** Whatever fails here changes no answer of the database. The connection is of no further use then. */
    private static void end(Connection connection, boolean failed) throws SQLException {
        try {
            if (failed) {
                connection.rollback();
            }
            connection.setAutoCommit(true);
        } catch (SQLException broken) {
            Dialect.discard(connection);
        }
    }
}
