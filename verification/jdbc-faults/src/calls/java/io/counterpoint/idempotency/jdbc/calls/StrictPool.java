package io.counterpoint.idempotency.jdbc.calls;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * A pool of one connection that waits for nothing and repairs nothing. It finds at once that the connection was not
 * given back, or was given back in another state.
 */
final class StrictPool implements AutoCloseable {

    private final TestedDatabase database;
    private final boolean autoCommit;
    private final List<String> complaints = new ArrayList<>();
    private boolean keepsSessions;
    private Wire wire;
    private String asItCame;
    private String settingsAsTheyCame;
    private Lease lease;

    StrictPool(TestedDatabase database, boolean autoCommit) {
        this.database = database;
        this.autoCommit = autoCommit;
    }

    Connection borrow() throws SQLException {
        if (lease != null) {
            complaints.add("asked for a connection while it had one");
            throw new SQLException("The pool of one is empty.", "08001");
        }
        if (wire == null || !wire.isOpen()) {
            wire = connect();
        }
        lease = new Lease(wire);
        return lease.proxy();
    }

    private Wire connect() throws SQLException {
        if (wire != null && !wire.session().isClosed()) {
            database.reset(wire.session(), autoCommit);
            if (database.stateOf(wire.session()).equals(asItCame)) {
                return new Wire(database, wire.session());
            }
            wire.lose(false);
        }
        Connection session = database.connect();
        session.setAutoCommit(autoCommit);
        asItCame = database.stateOf(session);
        settingsAsTheyCame = database.settingsOf(session);
        return new Wire(database, session);
    }

    /** Whether the session of a lost connection is lent again, as far as that can be. */
    void keepSessions(boolean keeps) {
        keepsSessions = keeps;
    }

    /** Ends the connection that is out, or in, as a network does. */
    void cut() throws SQLException {
        if (wire != null) {
            wire.lose(keepsSessions);
        }
    }

    /** The connection that is out, or in. */
    Wire wire() {
        return wire;
    }

    /** What is wrong with the connection, as far as its driver knows, and how it was used. Afterwards all is well again. */
    List<String> complaints() throws SQLException {
        if (lease != null) {
            complaints.add("the connection was not given back");
            cut();
            lease = null;
        }
        return taken();
    }

    /** What is wrong with the session, as only its server knows. Afterwards all is well again. */
    List<String> complaintsOfTheSession() throws SQLException {
        if (wire != null && wire.isOpen()) {
            compare(settingsAsTheyCame, database.settingsOf(wire.session()));
        }
        return taken();
    }

    private List<String> taken() {
        List<String> found = List.copyOf(complaints);
        complaints.clear();
        return found;
    }

    private void takeBack() throws SQLException {
        if (wire.isOpen()) {
            compare(asItCame, database.stateOf(wire.session()));
        }
    }

    private void compare(String lent, String found) throws SQLException {
        if (!found.equals(lent)) {
            complaints.add("the connection came back as " + found + " and had been lent as " + lent);
            wire.lose(false);
        }
    }

    @Override
    public void close() throws SQLException {
        if (wire != null) {
            wire.lose(false);
        }
    }

    /** The connection in the hands of one borrower. */
    private final class Lease {
        private final Wire lent;
        private boolean over;

        Lease(Wire lent) {
            this.lent = lent;
        }

        Connection proxy() {
            return (Connection) Proxy.newProxyInstance(
                    Lease.class.getClassLoader(), new Class<?>[] {Connection.class}, (p, m, args) -> invoke(m, args));
        }

        private Object invoke(Method method, Object[] args) throws Throwable {
            switch (method.getName()) {
                case "close" -> {
                    if (!over) {
                        over = true;
                        lease = null;
                        takeBack();
                    }
                    return null;
                }
                case "isClosed" -> {
                    return over || !lent.isOpen();
                }
                default -> {
                    if (over) {
                        throw new SQLException("This connection has been given back.", "08003");
                    }
                    if (keepsSessions && method.getName().equals("abort")) {
                        cut();
                        return null;
                    }
                    lent.requireOpen(method);
                    try {
                        return method.invoke(lent.session(), args);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                }
            }
        }
    }
}
