package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.jdbc.session.StoreException;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Pattern;

/** Creates the table by the statements that users copy. */
final class Schema {

    /** Comments of SQL, which may contain what separates statements. */
    private static final Pattern COMMENT = Pattern.compile("--[^\n]*");

    private Schema() {}

    static void create(Connection connection, Dialect dialect) {
        try {
            execute(connection, dialect.schema());
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
        } catch (SQLException thrown) {
            StoreException failed = StoreException.of("Could not create the table", dialect, connection, thrown);
            // Two processes that create at once collide in the catalogue; what counts is what is there now.
            rollback(connection, failed);
            try {
                TableCheck.check(connection, dialect);
            } catch (RuntimeException notThere) {
                notThere.addSuppressed(failed);
                throw notThere;
            }
        }
    }

    private static void execute(Connection connection, String script) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String one : COMMENT.matcher(script).replaceAll("").split(";", -1)) {
                String sql = one.trim();
                if (!sql.isEmpty()) {
                    statement.execute(sql);
                }
            }
        }
    }

    private static void rollback(Connection connection, StoreException because) {
        try {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
        } catch (SQLException thrown) {
            because.addSuppressed(thrown);
        }
    }
}
