package io.counterpoint.idempotency.testing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** What an administrator asks of a server, each time on a connection of its own. */
final class AdministratorSql {

    private AdministratorSql() {}

    static Connection connect(PostgresServer server) throws SQLException {
        return DriverManager.getConnection(server.jdbcUrl());
    }

    static void execute(PostgresServer server, String sql) {
        try (Connection connection = connect(server);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot execute " + sql + " on " + server + ": " + e.getMessage(), e);
        }
    }

    /** The first column of the first row. */
    static String text(PostgresServer server, String sql) {
        try (Connection connection = connect(server);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return String.valueOf(rows.getString(1));
        } catch (SQLException e) {
            throw new IllegalStateException("cannot ask " + server + ": " + e.getMessage(), e);
        }
    }
}
