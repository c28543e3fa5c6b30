package io.counterpoint.idempotency.trial;

import java.sql.Connection;
import java.sql.SQLException;

/** Where a pool's sessions come from, and what a borrower could leave changed in them. */
abstract class Sessions {

    abstract Connection connect() throws SQLException;

    /** What the driver knows of that a borrower could leave changed. */
    String stateOf(Connection connection) throws SQLException {
        return "";
    }

    /** What only the server knows of that a borrower could leave changed. */
    String settingsOf(Connection connection) throws SQLException {
        return "";
    }

    /** What the driver throws of a connection that is closed. */
    SQLException closed() {
        return new SQLException("This connection has been closed.", "08003");
    }

    /** What the driver throws where a statement's connection is closed. */
    SQLException cannotSend() {
        return new SQLException("An I/O error occurred while sending to the backend.", "08006");
    }

    /** Ends what a borrower has begun, so that the next one finds a connection like a new one. */
    void reset(Connection connection, boolean autoCommit) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
        connection.setAutoCommit(autoCommit);
        connection.setReadOnly(false);
        connection.clearWarnings();
    }
}
