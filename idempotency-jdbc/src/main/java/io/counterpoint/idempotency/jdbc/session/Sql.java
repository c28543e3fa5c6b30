package io.counterpoint.idempotency.jdbc.session;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Runs single statements. */
public final class Sql {

    private Sql() {}

    /** A step that the driver can reject. */
    public interface Step<T extends @Nullable Object> {
        T run() throws SQLException;
    }

    /** Uses a prepared statement. */
    public interface Use<T> {
        T of(PreparedStatement statement) throws SQLException;
    }

    /** Binds the parameters of a statement. */
    public interface Binding {
        void to(PreparedStatement statement) throws SQLException;
    }

    public static <T> T prepared(Connection connection, String sql, Use<T> use) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            return use.of(statement);
        }
    }

    /** Whether an update has changed one row. */
    public static boolean changes(Connection connection, String sql, Binding binding) throws SQLException {
        return prepared(connection, sql, statement -> {
            binding.to(statement);
            return statement.executeUpdate() == 1;
        });
    }

    public static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Runs a statement that is its own transaction and must not produce a warning. */
    static boolean commits(Connection connection, String sql, Predicate<SQLWarning> isHarmless) throws SQLException {
        return prepared(connection, sql, statement -> {
            boolean rows = statement.execute();
            CommitWarning.requireNone(statement.getWarnings(), isHarmless);
            return rows;
        });
    }

    /** Returns the first column of the first row; null if there is none. */
    public static @Nullable String single(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(1) : null;
        }
    }

    /** Returns the first column of all rows. */
    public static List<String> all(Connection connection, String sql, String... parameters) throws SQLException {
        return prepared(connection, sql, statement -> {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            List<String> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(rows.getString(1));
                }
            }
            return found;
        });
    }
}
