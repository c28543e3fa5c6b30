package io.counterpoint.idempotency.trial;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The driver's connection to its server, which can be lost between two calls. If its session is kept, only the pool can
 * tell: the driver's objects behave like those of a closed connection, and the session's transaction is rolled back.
 * Sessions are kept because opening a new one takes longer than a whole case.
 */
final class Wire {

    private final Sessions sessions;
    private final Connection session;
    private final boolean autoCommit;
    private volatile boolean lost;
    private volatile boolean worked;

    Wire(Sessions sessions, Connection session) throws SQLException {
        this.sessions = sessions;
        this.session = session;
        this.autoCommit = session.getAutoCommit();
    }

    Connection session() {
        return session;
    }

    /** Loses the connection, together with the session unless that is kept. */
    void lose(boolean keepsSession) throws SQLException {
        lost = true;
        if (!keepsSession) {
            session.close();
        } else if (!session.isClosed()) {
            reset();
        }
    }

    /** Rolls back and restores the session's original state. */
    void reset() throws SQLException {
        sessions.reset(session, autoCommit);
        worked = false;
    }

    boolean isOpen() throws SQLException {
        return !lost && !session.isClosed();
    }

    /** Records a successful call: statements begin a transaction unless their text ends it. */
    void called(Method method, String sql) {
        switch (method.getName()) {
            case "commit", "setAutoCommit" -> worked = false;
            // A rollback to a savepoint ends nothing.
            case "rollback" -> worked &= method.getParameterCount() > 0;
            default -> worked = isExecute(method) ? !sql.contains("COMMIT") : worked;
        }
    }

    private static boolean isExecute(Method method) {
        return Statement.class.isAssignableFrom(method.getDeclaringClass())
                && method.getName().startsWith("execute");
    }

    /** Whether statements were executed in a transaction that has not ended, as far as the calls show. */
    boolean isInTransaction() throws SQLException {
        return worked && isOpen() && !session.getAutoCommit();
    }

    /**
     * Throws what the driver throws once the connection is lost. If the session is lost too, the driver itself throws.
     */
    void requireOpen(Method method) throws SQLException {
        if (!lost || session.isClosed()) {
            return;
        }
        if (method.getDeclaringClass() == Connection.class && !method.getName().equals("abort")) {
            throw sessions.closed();
        }
        if (isExecute(method)) {
            throw sessions.cannotSend();
        }
    }
}
