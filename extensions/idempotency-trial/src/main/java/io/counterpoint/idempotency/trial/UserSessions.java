package io.counterpoint.idempotency.trial;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The sessions of a user's data source. After a fault their settings are restored, because others may use them. */
final class UserSessions extends Sessions {

    final DataSource source;
    private volatile @Nullable Settings settings;

    /** The original values of what the library may have set when it lost the connection. */
    private record Settings(int isolation, String set) {
        static Settings of(Connection connection) throws SQLException {
            String product = connection.getMetaData().getDatabaseProductName();
            String set = switch (product) {
                case "H2" -> "SET LOCK_TIMEOUT " + ask(connection, "SELECT LOCK_TIMEOUT()");
                case "MariaDB", "MySQL" ->
                    "SET innodb_lock_wait_timeout = " + ask(connection, "SELECT @@innodb_lock_wait_timeout");
                default -> "";
            };
            return new Settings(connection.getTransactionIsolation(), set);
        }

        private static String ask(Connection connection, String query) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(query)) {
                rows.next();
                return rows.getString(1);
            }
        }
    }

    UserSessions(DataSource source) {
        this.source = source;
    }

    @Override
    Connection connect() throws SQLException {
        Connection connection = source.getConnection();
        if (settings == null) {
            settings = Settings.of(connection);
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
        }
        return connection;
    }

    @Override
    void reset(Connection connection, boolean autoCommit) throws SQLException {
        super.reset(connection, autoCommit);
        Settings known = settings;
        if (known != null) {
            connection.setTransactionIsolation(known.isolation());
            if (!known.set().isEmpty()) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute(known.set());
                }
            }
            if (!autoCommit) {
                connection.commit();
            }
        }
    }
}
