package io.counterpoint.idempotency.jdbc.calls;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The driver's connection to its server, which can be lost between two calls. Where its session is kept, nobody but the
 * pool can tell: the driver's objects answer like those of a closed connection, and the pool ends the transaction
 * before it lends the session again. To open another one takes a database longer than a whole case.
 */
final class Wire {

    private final TestedDatabase database;
    private final Connection session;
    private boolean lost;

    Wire(TestedDatabase database, Connection session) {
        this.database = database;
        this.session = session;
    }

    Connection session() {
        return session;
    }

    /** Loses the connection, and with it the session unless that is kept. */
    void lose(boolean keepsSession) throws SQLException {
        lost = true;
        if (!keepsSession) {
            session.close();
        }
    }

    boolean isOpen() throws SQLException {
        return !lost && !session.isClosed();
    }

    /** Throws what the driver throws once the connection is lost, which it does itself where the session is lost too. */
    void requireOpen(Method method) throws SQLException {
        if (!lost || session.isClosed()) {
            return;
        }
        Class<?> owner = method.getDeclaringClass();
        if (owner == Connection.class && !method.getName().equals("abort")) {
            throw database.closed();
        }
        if (Statement.class.isAssignableFrom(owner) && method.getName().startsWith("execute")) {
            throw database.cannotSend();
        }
    }
}
