package io.counterpoint.idempotency.trial;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pool that waits for nothing and repairs nothing. It detects immediately if a connection was not returned, or was
 * returned in a different state.
 */
final class StrictPool implements AutoCloseable {

    private final Sessions sessions;
    /**
     * Set for a pool that keeps a single connection. Others lend as many as requested, in the mode of their sessions.
     */
    private final @Nullable Boolean autoCommit;

    private final List<String> complaints = new ArrayList<>();
    private final List<Lease> out = new ArrayList<>();
    private boolean keepsSessions;
    private @Nullable Wire kept;
    private String asItCame = "";
    private String settingsAsTheyCame = "";

    private StrictPool(Sessions sessions, @Nullable Boolean autoCommit) {
        this.sessions = sessions;
        this.autoCommit = autoCommit;
        this.keepsSessions = autoCommit == null;
    }

    static StrictPool ofOne(Sessions sessions, boolean autoCommit) {
        return new StrictPool(sessions, autoCommit);
    }

    /** Returns a pool that takes each connection from the sessions and closes it when the borrower does. */
    static StrictPool ofAny(Sessions sessions) {
        return new StrictPool(sessions, null);
    }

    Lease lend() throws SQLException {
        Lease lease = new Lease(autoCommit == null ? new Wire(sessions, sessions.connect()) : theOne(autoCommit));
        synchronized (out) {
            out.add(lease);
        }
        return lease;
    }

    private Wire theOne(boolean withAutoCommit) throws SQLException {
        if (!out.isEmpty()) {
            complaints.add("requested a connection while holding one");
            throw new SQLException("The pool of one is empty.", "08001");
        }
        if (kept == null || !kept.isOpen()) {
            kept = connect(withAutoCommit);
        }
        return kept;
    }

    private Wire connect(boolean withAutoCommit) throws SQLException {
        if (kept != null && !kept.session().isClosed()) {
            if (sessions.stateOf(kept.session()).equals(asItCame)) {
                return new Wire(sessions, kept.session());
            }
            kept.lose(false);
        }
        Connection session = sessions.connect();
        session.setAutoCommit(withAutoCommit);
        asItCame = sessions.stateOf(session);
        settingsAsTheyCame = sessions.settingsOf(session);
        return new Wire(sessions, session);
    }

    /** Sets whether the session of a lost connection is lent again, if possible. */
    void keepSessions(boolean keeps) {
        keepsSessions = keeps;
    }

    /** Breaks this connection, or else the one that is kept, like a network failure. */
    void cut(@Nullable Wire wire) throws SQLException {
        Wire cut = wire == null ? kept : wire;
        if (cut != null) {
            cut.lose(keepsSessions);
        }
    }

    /**
     * Returns and resolves what is wrong with the connections, as far as their driver knows, and how they were used.
     */
    List<String> complaints() throws SQLException {
        for (Lease lease : leases()) {
            complain("connection not returned");
            lease.lent.lose(keepsSessions);
            lease.end();
        }
        return taken();
    }

    /** Returns and resolves what is wrong with the session, as only its server knows. */
    List<String> complaintsOfTheSession() throws SQLException {
        if (kept != null && kept.isOpen()) {
            compare(kept, settingsAsTheyCame, sessions.settingsOf(kept.session()));
        }
        return taken();
    }

    private List<Lease> leases() {
        synchronized (out) {
            return List.copyOf(out);
        }
    }

    /** Waits until all connections are returned or the limit has passed. */
    void awaitBack(Duration bound) throws InterruptedException {
        long end = System.nanoTime() + bound.toNanos();
        synchronized (out) {
            for (long left = bound.toMillis();
                    !out.isEmpty() && left > 0;
                    left = (end - System.nanoTime()) / 1_000_000) {
                out.wait(left);
            }
        }
    }

    private void complain(String what) {
        synchronized (complaints) {
            complaints.add(what);
        }
    }

    private List<String> taken() {
        synchronized (complaints) {
            List<String> found = List.copyOf(complaints);
            complaints.clear();
            return found;
        }
    }

    private void compare(Wire wire, String lent, String found) throws SQLException {
        if (!found.equals(lent)) {
            complain("the connection was returned as " + found + " but had been lent as " + lent);
            wire.lose(false);
        }
    }

    @Override
    public void close() throws SQLException {
        if (kept != null) {
            kept.lose(false);
        }
    }

    /** A connection lent to one borrower. */
    final class Lease {
        private final Wire lent;
        private volatile boolean over;

        private Lease(Wire lent) {
            this.lent = lent;
        }

        Wire wire() {
            return lent;
        }

        Connection connection() {
            return (Connection) Proxy.newProxyInstance(
                    Lease.class.getClassLoader(), new Class<?>[] {Connection.class}, (p, m, args) -> invoke(m, args));
        }

        private void end() throws SQLException {
            over = true;
            synchronized (out) {
                out.remove(this);
                out.notifyAll();
            }
            if (autoCommit == null) {
                giveBack();
            } else if (lent.isOpen()) {
                compare(lent, asItCame, sessions.stateOf(lent.session()));
            }
        }

        private void giveBack() throws SQLException {
            try (Connection session = lent.session()) {
                if (lent.isInTransaction()) {
                    complain("connection returned inside a transaction");
                }
                if (!session.isClosed()) {
                    lent.reset();
                }
            }
        }

        /** The driver's connection, whose session is kept when it ends. */
        private Connection driver() {
            return (Connection) Proxy.newProxyInstance(
                    Lease.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (p, m, args) -> m.getName().equals("close") ? cutThis() : invoke(m, args));
        }

        private @Nullable Object cutThis() throws SQLException {
            cut(lent);
            return null;
        }

        private @Nullable Object invoke(Method method, Object @Nullable [] args) throws Throwable {
            switch (method.getName()) {
                case "close" -> {
                    if (!over) {
                        end();
                    }
                    return null;
                }
                case "isClosed" -> {
                    return over || !lent.isOpen();
                }
                default -> {
                    if (over) {
                        throw new SQLException("This connection has been returned.", "08003");
                    }
                    if (keepsSessions && method.getName().equals("abort")) {
                        return cutThis();
                    }
                    lent.requireOpen(method);
                    if (keepsSessions
                            && args != null
                            && method.getName().equals("unwrap")
                            && args[0] == Connection.class) {
                        return driver();
                    }
                    try {
                        Object result = method.invoke(lent.session(), args);
                        lent.called(method, "");
                        return result;
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                }
            }
        }
    }
}
