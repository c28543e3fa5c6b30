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
final class PoolOfOne implements AutoCloseable {

    private final TestedDatabase database;
    private final boolean autoCommit;
    private final List<String> complaints = new ArrayList<>();
    private Connection physical;
    private String asItCame;
    private Lease lease;

    PoolOfOne(TestedDatabase database, boolean autoCommit) {
        this.database = database;
        this.autoCommit = autoCommit;
    }

    Connection borrow() throws SQLException {
        if (lease != null) {
            complaints.add("asked for a connection while it had one");
            throw new SQLException("The pool of one is empty.", "08001");
        }
        if (physical == null || physical.isClosed()) {
            physical = database.connect();
            physical.setAutoCommit(autoCommit);
            asItCame = database.stateOf(physical);
        }
        lease = new Lease(physical);
        return lease.proxy();
    }

    /** Ends the connection that is out, or in, as a network does. */
    void cut() throws SQLException {
        if (physical != null) {
            physical.close();
        }
    }

    /** The connection that is out, or in. */
    Connection physical() {
        return physical;
    }

    /** What is wrong with the connection, and how it was used. Afterwards all is well again. */
    List<String> complaints() throws SQLException {
        if (lease != null) {
            complaints.add("the connection was not given back");
            cut();
            lease = null;
        }
        List<String> found = List.copyOf(complaints);
        complaints.clear();
        return found;
    }

    private void takeBack() throws SQLException {
        if (!physical.isClosed()) {
            String state = database.stateOf(physical);
            if (!state.equals(asItCame)) {
                complaints.add("the connection came back as " + state + " and had been lent as " + asItCame);
                cut();
            }
        }
    }

    @Override
    public void close() throws SQLException {
        cut();
    }

    /** The connection in the hands of one borrower. */
    private final class Lease {
        private final Connection delegate;
        private boolean over;

        Lease(Connection delegate) {
            this.delegate = delegate;
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
                    return over || delegate.isClosed();
                }
                default -> {
                    if (over) {
                        throw new SQLException("This connection has been given back.", "08003");
                    }
                    try {
                        return method.invoke(delegate, args);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                }
            }
        }
    }
}
