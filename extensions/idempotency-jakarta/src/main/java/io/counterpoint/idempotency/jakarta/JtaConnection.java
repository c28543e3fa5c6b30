package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.jdbc.session.ManagedConnection;
import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A connection whose transactions are those of a transaction manager. With autocommit it is one of the data source,
 * outside of transactions. Without, it is the one that the data source has enlisted with the transaction of this thread.
 *
 * <p>Whatever the manager throws at a commit, it is not known what is committed. Also a normal return is believed only if
 * the last statement was answered, and no synchronization came after it.
 */
final class JtaConnection implements InvocationHandler, ManagedConnection {

    private static final ThreadLocal<@Nullable JtaConnection> WORKING = new ThreadLocal<>();

    private final Manager manager;
    private @Nullable Connection connection;
    private @Nullable Transaction transaction;
    private boolean autoCommit = true;
    private boolean closed;

    private JtaConnection(Manager manager) {
        this.manager = manager;
    }

    static Connection of(Manager manager) throws SQLException {
        JtaConnection made = new JtaConnection(manager);
        made.connection = manager.dataSource().getConnection();
        return (Connection) Proxy.newProxyInstance(
                JtaConnection.class.getClassLoader(), new Class<?>[] {Connection.class, ManagedConnection.class}, made);
    }

    /** Gives such connections. */
    static DataSource dataSource(Manager manager) {
        return (DataSource) Proxy.newProxyInstance(
                JtaConnection.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> method.getName().equals("getConnection")
                        ? of(manager)
                        : called(method, manager.dataSource(), arguments));
    }

    private static @Nullable Object called(Method method, Object target, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    /** Whether a transaction of an operation is open on this thread. */
    static boolean isWorking() {
        return WORKING.get() != null;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        Object[] given = arguments == null ? new Object[0] : arguments;
        return switch (method.getName()) {
            case "commitAfter" -> commitAfter((BooleanSupplier) given[0]);
            case "hasEnded" -> hasEnded();
            case "getAutoCommit" -> autoCommit;
            case "isClosed" -> closed || (connection != null && connection.isClosed());
            case "setAutoCommit" -> done(() -> switchAutoCommit((Boolean) given[0]));
            case "commit" -> done(this::requireEnded);
            case "close" -> done(this::close);
            case "abort" -> done(() -> abort((Executor) given[0]));
            case "setTransactionIsolation" -> throw refused();
            case "equals" -> proxy == given[0];
            case "hashCode" -> System.identityHashCode(this);
            case "toString" -> "JtaConnection[" + connection + "]";
            default ->
                method.getName().equals("rollback") && given.length == 0
                        ? done(this::rollback)
                        : called(method, open(), arguments);
        };
    }

    private interface Call {
        void run() throws SQLException;
    }

    private static @Nullable Object done(Call call) throws SQLException {
        call.run();
        return null;
    }

    private Connection open() throws SQLException {
        if (closed) {
            throw new SQLException("The connection is closed", "08003");
        }
        if (connection == null) {
            if (!autoCommit) {
                throw new SQLException("The transaction of this connection is over", "08003");
            }
            connection = manager.dataSource().getConnection();
        }
        return connection;
    }

    private static SQLException refused() {
        return new SQLException(
                "Expected the isolation level of the data source, found another one. Set it where the data source is"
                        + " configured: the transaction manager shares its connections.",
                "2D000");
    }

    // ---- transactions --------------------------------------------------------------------------------------------

    private void switchAutoCommit(boolean wanted) throws SQLException {
        if (wanted) {
            rollback();
            autoCommit = true;
        } else if (transaction == null) {
            closeConnection();
            autoCommit = false;
            begin();
        }
    }

    private void begin() throws SQLException {
        Transaction begun = manager.begin();
        transaction = begun;
        WORKING.set(this);
        try {
            connection = manager.enlisted(begun);
        } catch (SQLException | RuntimeException | Error thrown) {
            try {
                rollback();
            } catch (SQLException | RuntimeException also) {
                thrown.addSuppressed(also);
            }
            throw thrown;
        }
    }

    @Override
    public boolean hasEnded() {
        return transaction != null && !manager.isCurrent(transaction);
    }

    private void requireEnded() throws SQLException {
        if (transaction != null) {
            throw new SQLException("Only the transaction manager commits here", "2D000");
        }
    }

    @Override
    public boolean commitAfter(BooleanSupplier last) throws SQLException {
        Transaction mine = transaction;
        Connection enlisted = connection;
        if (mine == null || enlisted == null || !manager.isCurrent(mine)) {
            throw new SQLException("The transaction is not that of this thread any more", "08007");
        }
        Mark mark = new Mark(manager, mine, enlisted, last, this::over);
        try {
            mark.register();
            manager.transactions().commit();
        } catch (Exception thrown) {
            if (mark.isRefused()) {
                return false;
            }
            RuntimeException failure = mark.failure();
            if (failure != null) {
                throw failure;
            }
            throw new SQLException(
                    "The transaction manager threw at the commit, which proves nothing", "08007", thrown);
        } finally {
            over();
            transaction = null;
            closeAfterCommit();
            manager.leave(mine);
        }
        if (mark.isAnswered()) {
            mark.requireLast();
            return true;
        }
        return false;
    }

    /** Unless the mark has. Some pools do not take a connection back by themselves. */
    private void closeAfterCommit() {
        try {
            closeConnection();
        } catch (SQLException | RuntimeException thrown) {
            // The transaction is over, and what this says of its connection says nothing about it.
            connection = null;
        }
    }

    /** From here on this thread may do what it wants, such as callbacks after the commit. */
    private void over() {
        if (WORKING.get() == this) {
            WORKING.remove();
        }
    }

    private void rollback() throws SQLException {
        Transaction mine = transaction;
        if (mine == null) {
            return;
        }
        over();
        transaction = null;
        try {
            closeConnection();
        } finally {
            rollback(mine);
        }
    }

    private void rollback(Transaction mine) throws SQLException {
        try {
            if (!isRolledBack(mine)) {
                manager.rollback(mine);
            }
        } catch (SystemException | RuntimeException thrown) {
            if (!isRolledBack(mine)) {
                throw new SQLException("The transaction manager could not roll back", "08007", thrown);
            }
        } finally {
            manager.leave(mine);
        }
    }

    /** By the manager itself, after its timeout. */
    private static boolean isRolledBack(Transaction transaction) {
        try {
            return transaction.getStatus() == Status.STATUS_ROLLEDBACK
                    || transaction.getStatus() == Status.STATUS_NO_TRANSACTION;
        } catch (SystemException unknown) {
            return false;
        }
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    private void closeConnection() throws SQLException {
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }

    private void close() throws SQLException {
        closed = true;
        try {
            rollback();
        } finally {
            closeConnection();
        }
    }

    private void abort(Executor executor) throws SQLException {
        Connection open = connection;
        closed = true;
        try {
            if (open != null) {
                open.abort(executor);
            }
        } finally {
            rollback();
        }
    }
}
