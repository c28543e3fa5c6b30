package io.counterpoint.idempotency.trial;

import java.sql.Connection;
import java.sql.SQLException;

/** The source of a pool's sessions, and the state that a borrower could leave changed in them. */
abstract class Sessions {

    abstract Connection connect() throws SQLException;

    /** The state known to the driver that a borrower could leave changed. */
    String stateOf(Connection connection) throws SQLException {
        return "";
    }

    /** The state known only to the server that a borrower could leave changed. */
    String settingsOf(Connection connection) throws SQLException {
        return "";
    }

    /** What the driver throws for a closed connection. */
    SQLException closed() {
        return new SQLException("This connection has been closed.", "08003");
    }

    /** What the driver throws if a statement's connection is closed. */
    SQLException cannotSend() {
        return new SQLException("An I/O error occurred while sending to the backend.", "08006");
    }

    /** Resets the session, so that the next borrower gets a connection like a new one. */
    void reset(Connection connection, boolean autoCommit) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
        connection.setAutoCommit(autoCommit);
        connection.setReadOnly(false);
        connection.clearWarnings();
    }
}
