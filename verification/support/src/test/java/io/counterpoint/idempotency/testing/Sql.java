package io.counterpoint.idempotency.testing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Plain JDBC for these tests. */
final class Sql {

    private Sql() {}

    static Connection connect(String url) throws SQLException {
        return DriverManager.getConnection(url);
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static void execute(String url, String sql) throws SQLException {
        try (Connection connection = connect(url)) {
            execute(connection, sql);
        }
    }

    /** As a prepared statement, because only those get names from the driver. */
    static String query(Connection connection, String sql) throws SQLException {
        try (var statement = connection.prepareStatement(sql);
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getString(1);
        }
    }

    static String query(String url, String sql) throws SQLException {
        try (Connection connection = connect(url)) {
            return query(connection, sql);
        }
    }
}
