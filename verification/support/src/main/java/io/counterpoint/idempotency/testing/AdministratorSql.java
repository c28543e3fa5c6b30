package io.counterpoint.idempotency.testing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/** Runs an administrator's queries, each on a new connection. Messages refer to the server by its {@code toString}. */
final class AdministratorSql {

    private AdministratorSql() {}

    static Connection connect(PostgresServer server) throws SQLException {
        return DriverManager.getConnection(server.jdbcUrl());
    }

    static void execute(DatabaseServer<?> server, String sql) {
        execute(server.jdbcUrl(), server, sql);
    }

    static void execute(String jdbcUrl, Object server, String sql) {
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot execute " + sql + " on " + server + ": " + e.getMessage(), e);
        }
    }

    /** Returns the first column of the first row. */
    static String text(DatabaseServer<?> server, String sql) {
        return find(server, sql).orElse("null");
    }

    /** The same, but empty if there is no row or the value is null. */
    static Optional<String> find(DatabaseServer<?> server, String sql) {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? Optional.ofNullable(rows.getString(1)) : Optional.empty();
        } catch (SQLException e) {
            throw new IllegalStateException("cannot ask " + server + ": " + e.getMessage(), e);
        }
    }
}
