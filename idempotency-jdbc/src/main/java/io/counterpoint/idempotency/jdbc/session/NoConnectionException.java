package io.counterpoint.idempotency.jdbc.session;

import java.sql.SQLException;

/** There is no connection, or a new one is broken. Its cause says why. */
public final class NoConnectionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NoConnectionException(SQLException cause) {
        super("No connection to the database: " + DatabaseErrors.state(cause), cause);
    }
}
