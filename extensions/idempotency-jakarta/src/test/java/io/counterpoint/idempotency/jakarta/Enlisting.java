package io.counterpoint.idempotency.jakarta;

import jakarta.transaction.RollbackException;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;

/** The least that a data source has to do for JTA, and no pool of its own that hides what a driver's faults do. */
public record Enlisting(DataSource source, Map<Transaction, Connection> enlisted) implements InvocationHandler {

    /** Connections of a data source whose driver knows no XA: one for each transaction. */
    public static DataSource local(DataSource source) {
        return proxy(DataSource.class, new Enlisting(source, new ConcurrentHashMap<>()));
    }

    @SuppressWarnings("unchecked")
    static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return (T) Proxy.newProxyInstance(Enlisting.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    @Override
    public Object invoke(Object proxy, Method getConnection, Object[] none) throws Throwable {
        Transaction transaction = Database.TRANSACTIONS.getTransaction();
        if (transaction == null) {
            return source.getConnection();
        }
        Connection known = enlisted.get(transaction);
        if (known == null) {
            known = enlist(transaction, source.getConnection());
            enlisted.put(transaction, known);
        }
        return withoutClose(known);
    }

    private Connection enlist(Transaction transaction, Connection connection) throws SQLException {
        boolean[] ended = new boolean[1];
        try {
            connection.setAutoCommit(false);
            boolean unused = transaction.enlistResource(local(connection, ended));
            transaction.registerSynchronization(new Synchronization() {
                @Override
                public void beforeCompletion() {}

                @Override
                public void afterCompletion(int status) {
                    enlisted.remove(transaction);
                    close(connection, ended[0]);
                }
            });
            return connection;
        } catch (RollbackException | SystemException thrown) {
            close(connection, false);
            throw new SQLException(thrown);
        } catch (SQLException | RuntimeException | Error thrown) {
            close(connection, false);
            throw thrown;
        }
    }

    private static XAResource local(Connection connection, boolean[] ended) {
        return proxy(XAResource.class, (resource, method, arguments) -> switch (method.getName()) {
            case "commit", "rollback" -> {
                end(connection, method);
                ended[0] = true;
                yield null;
            }
            case "isSameRM", "equals" -> resource == arguments[0];
            case "hashCode" -> System.identityHashCode(resource);
            case "setTransactionTimeout" -> false;
            case "prepare", "getTransactionTimeout" -> 0;
            default -> null;
        });
    }

    private static void end(Connection connection, Method how) throws XAException, ReflectiveOperationException {
        try {
            Connection.class.getMethod(how.getName()).invoke(connection);
        } catch (InvocationTargetException thrown) {
            XAException lost = new XAException(XAException.XA_RBROLLBACK);
            lost.initCause(thrown.getCause());
            throw lost;
        }
    }

    /** A connection whose transaction was not seen to end is ended: autocommit would commit what is open. */
    private static void close(Connection connection, boolean ended) {
        try {
            if (ended) {
                connection.setAutoCommit(true);
                connection.close();
                return;
            }
        } catch (SQLException | RuntimeException | Error thrown) {
            // It goes as one that was not seen to end.
        }
        try (connection) {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException | Error gone) {
            // It was cut.
        }
    }

    private static Connection withoutClose(Connection connection) {
        return proxy(Connection.class, (proxy, method, arguments) -> {
            try {
                return method.getName().equals("close") ? null : method.invoke(connection, arguments);
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        });
    }
}
