package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A connection whose transactions are ended by a transaction manager, such as Spring's or a JTA one. With autocommit
 * on, it is a connection outside transactions. {@code setAutoCommit(false)} begins a transaction, and from then on it
 * is that transaction's connection. Nothing else is sent together with the end of the transaction. Confined to one
 * thread.
 */
public abstract class ManagedConnection {

    private @Nullable Connection connection;
    private boolean autoCommit = true;
    /** Whether the connection lent outside transactions came with autocommit off, as from some pools. */
    private boolean lentWithoutAutoCommit;

    private boolean closed;

    /** Creates an instance that has borrowed nothing yet. */
    protected ManagedConnection() {}

    /** Creates managed connections. */
    public interface Maker {
        /** Creates a managed connection, which is not open yet. */
        ManagedConnection make();
    }

    /**
     * How a transaction manager ended a transaction.
     *
     * @param committed whether it is committed; otherwise it is rolled back
     * @param warning the database's warning about the commit
     * @param afterCommit what a callback threw after the commit
     */
    public record Ended(
            boolean committed,
            @Nullable SQLWarning warning,
            @Nullable Throwable afterCommit) {}

    // ---- implemented for a transaction manager -------------------------------------------------------------------

    /** Borrows a connection for statements outside transactions. */
    protected abstract Connection lend() throws SQLException;

    /**
     * Returns a connection.
     *
     * @param lent the connection that {@link #lend} or {@link #begin} returned
     * @param ofTransaction whether it is a transaction's connection
     */
    protected abstract void giveBack(Connection lent, boolean ofTransaction) throws SQLException;

    /** Begins a transaction on this thread and returns its connection. */
    protected abstract Connection begin() throws SQLException;

    /** Whether a transaction has begun and this instance has not ended it. */
    protected abstract boolean isBegun();

    /** Rolls the transaction back, if there is one. */
    protected abstract void rollBack() throws SQLException;

    /**
     * Whether the work has ended the transaction or detached it from this thread.
     *
     * @return true if so: the work's changes may be committed
     */
    protected abstract boolean hasEnded();

    /**
     * Commits, sending a last statement after everything that other participants write before the commit.
     *
     * @param last sends the statement and returns whether the commit may follow it
     * @return how the transaction ended; not committed if the statement returned false
     * @throws io.counterpoint.idempotency.spi.BeforeCommitException if the statement was not sent
     * @throws SQLException if it is unknown whether the transaction is committed, regardless of the cause
     */
    protected abstract Ended commitAfter(BooleanSupplier last) throws SQLException;

    // ---- the connection ------------------------------------------------------------------------------------------

    /** The connection that is currently lent; null before the first use and after a transaction. */
    protected final @Nullable Connection lent() {
        return connection;
    }

    /** Returns the lent connection. */
    protected final void giveBack() throws SQLException {
        Connection open = connection;
        if (open == null) {
            return;
        }
        if (autoCommit) {
            restoreAutoCommit(open);
        } else {
            connection = null;
        }
        giveBack(open, !autoCommit);
        connection = null;
    }

    private Connection borrow() throws SQLException {
        Connection lent = lend();
        connection = lent;
        try {
            if (!lent.getAutoCommit()) {
                lent.setAutoCommit(true);
                lentWithoutAutoCommit = true;
            }
        } catch (SQLException | RuntimeException | Error thrown) {
            abandon(lent, thrown);
            throw thrown;
        }
        return lent;
    }

    private void restoreAutoCommit(Connection lent) {
        boolean restores = lentWithoutAutoCommit;
        lentWithoutAutoCommit = false;
        try {
            if (restores && !lent.isClosed()) {
                lent.setAutoCommit(false);
            }
        } catch (SQLException | RuntimeException | Error failed) {
            discard(lent);
        }
    }

    /** Terminates a connection in an unknown state, which the next borrower would otherwise inherit. */
    protected static void discard(Connection connection) {
        try {
            Dialect.discard(connection);
        } catch (SQLException | RuntimeException | Error gone) {
            // The connection is then unusable anyway.
        }
    }

    private void abandon(Connection lent, Throwable because) {
        connection = null;
        discard(lent);
        try {
            giveBack(lent, false);
        } catch (SQLException | RuntimeException gone) {
            because.addSuppressed(gone);
        }
    }

    /** The managed connection behind a connection of {@link #dataSource}; null behind any other. */
    static @Nullable ManagedConnection of(Connection connection) {
        return Proxy.isProxyClass(connection.getClass())
                        && Proxy.getInvocationHandler(connection) instanceof Handler handler
                ? handler.managed()
                : null;
    }

    /** Returns a data source of managed connections, which delegates everything else to the real one. */
    public static DataSource dataSource(DataSource real, Maker maker) {
        return (DataSource) Proxy.newProxyInstance(
                ManagedConnection.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> method.getName().equals("getConnection")
                        ? maker.make().opened()
                        : called(method, real, arguments));
    }

    /** Returns this as a connection that has already borrowed its first one. */
    public final Connection opened() throws SQLException {
        Connection unused = borrow();
        return (Connection) Proxy.newProxyInstance(
                ManagedConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, new Handler(this));
    }

    private record Handler(ManagedConnection managed) implements InvocationHandler {
        @Override
        public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
                throws Throwable {
            Object[] given = arguments == null ? new Object[0] : arguments;
            return switch (method.getName()) {
                case "getAutoCommit" -> managed.autoCommit;
                case "isClosed" -> managed.isClosed();
                case "setAutoCommit" -> done(() -> managed.switchAutoCommit((Boolean) given[0]));
                case "commit" -> done(managed::commit);
                case "close" -> done(managed::close);
                case "abort" -> done(managed::abort);
                case "equals" -> proxy == given[0];
                case "hashCode" -> System.identityHashCode(proxy);
                case "toString" -> managed.toString();
                default -> {
                    if (method.getName().equals("rollback") && given.length == 0) {
                        yield done(managed::rollBack);
                    }
                    if (method.getName().equals("setTransactionIsolation") && !managed.autoCommit) {
                        throw refusedIsolation();
                    }
                    yield called(method, managed.open(), arguments);
                }
            };
        }
    }

    private interface Call {
        void run() throws SQLException;
    }

    private static @Nullable Object done(Call call) throws SQLException {
        call.run();
        return null;
    }

    private static @Nullable Object called(Method method, Object target, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    private static SQLException refusedIsolation() {
        return new SQLException(
                "Expected the isolation level of the transaction manager, found a different one. Set it where the"
                        + " transaction or the data source is configured, because the transaction manager shares its"
                        + " connections.",
                "2D000");
    }

    private boolean isClosed() throws SQLException {
        return closed || (connection != null && connection.isClosed());
    }

    private Connection open() throws SQLException {
        if (closed) {
            throw new SQLException("The connection is closed", "08003");
        }
        Connection open = connection;
        if (open == null) {
            if (!autoCommit) {
                throw new SQLException("The transaction of this connection is over", "08003");
            }
            open = borrow();
        }
        return open;
    }

    private void switchAutoCommit(boolean wanted) throws SQLException {
        if (wanted) {
            rollBack();
            giveBackAfterTransaction();
            autoCommit = true;
        } else if (!isBegun()) {
            giveBack();
            autoCommit = false;
            connection = begin();
        }
    }

    private void giveBackAfterTransaction() throws SQLException {
        if (!autoCommit) {
            giveBack();
        }
    }

    /** Commits without a last statement, such as for a purge. After {@link #commitAfter} there is nothing to commit. */
    private void commit() throws SQLException {
        if (isBegun() && !commitAfter(() -> true).committed()) {
            throw new SQLException("The transaction manager did not commit", "08007");
        }
    }

    private void close() throws SQLException {
        closed = true;
        try {
            rollBack();
        } finally {
            giveBack();
        }
    }

    final void abort() throws SQLException {
        Connection open = connection;
        closed = true;
        try {
            if (open != null) {
                Dialect.discard(open);
            }
        } finally {
            rollBack();
        }
    }
}
