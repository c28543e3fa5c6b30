package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** Single statements, and the bound of their waits for locks: a setting, which is given back. */
final class PlainStatement {

    private PlainStatement() {}

    /** What is done with a prepared statement. */
    interface Step<T> {
        T run(PreparedStatement statement) throws SQLException;
    }

    static <T> T prepared(Connection connection, String sql, Step<T> step) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            return step.run(statement);
        }
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

    /** What fails in a transaction ends it, and with it the bound. */
    static <T> T bounded(Connection connection, Duration wait, String sql, Step<T> step) throws SQLException {
        boolean alone = connection.getAutoCommit();
        String setting = "SET " + (alone ? "" : "LOCAL ") + "lock_timeout = '";
        String before = single(connection, "SHOW lock_timeout");
        boolean done = false;
        try {
            execute(connection, setting + RecordRow.millis(wait) + "'");
            T result = prepared(connection, sql, step);
            done = true;
            return result;
        } finally {
            if (done || alone) {
                restore(connection, setting + before + "'");
            }
        }
    }

    /** A session that keeps this library's bound is of no further use. */
    private static void restore(Connection connection, String setting) throws SQLException {
        boolean restored = false;
        try {
            execute(connection, setting);
            restored = true;
        } finally {
            if (!restored) {
                Dialect.discard(connection);
            }
        }
    }
}
