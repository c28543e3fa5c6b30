package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.jdbc.session.Sql;
import io.counterpoint.idempotency.jdbc.session.StoreFailures;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.spi.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.regex.Pattern;

/** Creates the table with the statements that users copy. */
final class Schema {

    /** SQL comments, which may contain the statement separator. */
    private static final Pattern COMMENT = Pattern.compile("--[^\n]*");

    private Schema() {}

    static void create(Connection connection, Dialect dialect) {
        try {
            for (String sql : COMMENT.matcher(dialect.schema()).replaceAll("").split(";", -1)) {
                if (!sql.trim().isEmpty()) {
                    Sql.execute(connection, sql.trim());
                }
            }
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
        } catch (SQLException thrown) {
            StoreException failed = StoreFailures.of("Could not create the table", dialect, connection, thrown);
            // Two processes that create the table at once collide in the catalogue; what counts is what exists now.
            rollback(connection, failed);
            try {
                TableCheck.check(connection, dialect, false);
            } catch (RuntimeException notThere) {
                notThere.addSuppressed(failed);
                throw notThere;
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
