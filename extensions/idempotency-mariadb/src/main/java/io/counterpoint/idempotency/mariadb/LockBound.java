package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;

/**
 * Runs statements with a lock timeout. The server counts whole seconds, so timeouts are rounded up. MariaDB accepts it
 * in the statement. On MySQL it is a session setting, which is restored.
 */
record LockBound(Server server) {

    private static final String SETTING = "SESSION innodb_lock_wait_timeout";

    /** For a statement on a row that the transaction has locked: it waits for nobody and needs no session setting. */
    static final Duration NONE = Duration.ofSeconds(-1);

    /** Uses a prepared statement. */
    interface Step<T> {
        T run(PreparedStatement statement) throws SQLException;
    }

    <T> T with(Connection connection, Duration wait, String sql, Step<T> step) throws SQLException {
        long seconds = seconds(wait);
        if (server.boundsStatements() || wait.isNegative()) {
            return prepared(connection, server.bounded(seconds, sql), step);
        }
        String before = single(connection, "SELECT @@SESSION.innodb_lock_wait_timeout");
        try {
            execute(connection, "SET " + SETTING + " = " + seconds);
            return prepared(connection, sql, step);
        } finally {
            restore(connection, before);
        }
    }

    /**
     * Does the same as the first step of a transaction: in one round trip with its begin and its savepoint, if the
     * server supports blocks.
     */
    <T> T beginning(Connection connection, Duration wait, String sql, Step<T> step) throws SQLException {
        Optional<String> block =
                server.block(Server.AUTOCOMMIT_OFF, server.bounded(seconds(wait), sql), StartSavepoint.SET);
        return block.isPresent()
                ? prepared(connection, block.get(), step)
                : StartSavepoint.with(connection, server, () -> with(connection, wait, sql, step));
    }

    static long seconds(Duration wait) {
        return Math.max(1, wait.plusNanos(999_999_999).toSeconds());
    }

    /** A session left with this library's timeout must not be used any more. */
    private static void restore(Connection connection, String seconds) throws SQLException {
        boolean restored = false;
        try {
            execute(connection, "SET " + SETTING + " = " + seconds);
            restored = true;
        } finally {
            if (!restored) {
                Dialect.discard(connection);
            }
        }
    }

    static <T> T prepared(Connection connection, String sql, Step<T> step) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            // Fetches all rows at once, because a block cannot have a cursor.
            statement.setFetchSize(0);
            return step.run(statement);
        }
    }

    /**
     * Returns the rows of a query. MySQL's driver refuses to run a statement as a query if it begins with {@code SET
     * STATEMENT}.
     */
    static ResultSet rows(PreparedStatement query) throws SQLException {
        query.execute();
        return query.getResultSet();
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static String single(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return String.valueOf(rows.getString(1));
        }
    }
}
