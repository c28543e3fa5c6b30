package io.counterpoint.idempotency.consistency.invalidation;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Carries messages with PostgreSQL's {@code LISTEN} and {@code NOTIFY}. It keeps one connection for listening, which
 * must be a dedicated session: a pooler that switches servers between transactions, such as PgBouncer in transaction
 * mode, hides notifications. A server that does not respond for some seconds counts as lost.
 */
public final class PostgreSqlChannel implements InvalidationChannel {

    private static final int LOOK_MILLIS = 500;
    private static final int ANSWER_SECONDS = 3;

    private final DataSource connections;
    private volatile boolean isClosed;

    private PostgreSqlChannel(DataSource connections) {
        this.connections = connections;
    }

    /**
     * Returns a channel in a database, whose listeners are the processes that use the same database.
     *
     * @param connections provides connections of PostgreSQL's own driver or of a pool on it
     * @return a channel
     */
    public static PostgreSqlChannel on(DataSource connections) {
        return new PostgreSqlChannel(connections);
    }

    @Override
    public void publish(String message) throws SQLException {
        try (Connection connection = connections.getConnection();
                PreparedStatement notify = connection.prepareStatement("SELECT pg_notify(?, ?)")) {
            notify.setString(1, NAME);
            notify.setString(2, message);
            notify.execute();
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
        }
    }

    @Override
    public void receive(Runnable listening, Consumer<String> messages) throws SQLException {
        try (Connection connection = connections.getConnection();
                Statement statement = connection.createStatement()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(true);
            statement.execute("LISTEN \"" + NAME + "\"");
            try {
                listening.run();
                while (!isClosed) {
                    hear(connection, messages);
                }
            } finally {
                giveBack(connection, statement, autoCommit);
            }
        }
    }

    /** Stops listening before the next borrower gets this connection. */
    private static void giveBack(Connection connection, Statement statement, boolean autoCommit) {
        try {
            statement.execute("UNLISTEN *");
            connection.setAutoCommit(autoCommit);
        } catch (SQLException lost) {
            // A pool has noticed this failure, too.
        }
    }

    private static void hear(Connection connection, Consumer<String> messages) throws SQLException {
        PGNotification[] heard = connection.unwrap(PGConnection.class).getNotifications(LOOK_MILLIS);
        if (heard == null || heard.length == 0) {
            if (!connection.isValid(ANSWER_SECONDS)) {
                throw new SQLTransientConnectionException("The server does not respond.", "08006");
            }
            return;
        }
        for (PGNotification one : heard) {
            messages.accept(one.getParameter());
        }
    }

    @Override
    public void close() {
        isClosed = true;
    }
}
