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
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;

/** The least that a data source has to do for JTA: one connection for each transaction, enlisted with it, and no pool. */
public final class Enlisting {

    private interface Source {
        Enlisted open() throws SQLException;
    }

    private interface Close {
        void run() throws SQLException;
    }

    private record Enlisted(Connection connection, XAResource resource, Close close) {}

    private final Source source;
    private final Source alone;
    private final Map<Transaction, Connection> enlisted = new ConcurrentHashMap<>();

    private Enlisting(Source source, Source alone) {
        this.source = source;
        this.alone = alone;
    }

    /** Each transaction has an XA connection. */
    static DataSource xa(XADataSource source) {
        Source opened = () -> {
            XAConnection made = source.getXAConnection();
            return new Enlisted(made.getConnection(), made.getXAResource(), made::close);
        };
        return new Enlisting(opened, opened).dataSource();
    }

    /** Each transaction is that of a connection, whose driver knows no XA. */
    public static DataSource local(DataSource source) {
        return new Enlisting(() -> local(source.getConnection()), () -> {
                    Connection connection = source.getConnection();
                    return new Enlisted(connection, null, connection::close);
                })
                .dataSource();
    }

    private static Enlisted local(Connection connection) throws SQLException {
        boolean[] ended = new boolean[1];
        XAResource resource = proxy(XAResource.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "commit", "rollback" -> {
                end(connection, method);
                ended[0] = true;
                yield null;
            }
            case "isSameRM", "equals" -> proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "setTransactionTimeout" -> false;
            case "prepare", "getTransactionTimeout" -> 0;
            default -> null;
        });
        try {
            connection.setAutoCommit(false);
        } catch (SQLException | RuntimeException | Error thrown) {
            close(connection, false);
            throw thrown;
        }
        return new Enlisted(connection, resource, () -> close(connection, ended[0]));
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
    private static void close(Connection connection, boolean ended) throws SQLException {
        try {
            if (ended) {
                connection.setAutoCommit(true);
                connection.close();
                return;
            }
        } catch (SQLException | RuntimeException | Error thrown) {
            // It goes as what was not seen to end.
        }
        try {
            connection.abort(Runnable::run);
        } finally {
            connection.close();
        }
    }

    @SuppressWarnings("unchecked")
    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return (T) Proxy.newProxyInstance(Enlisting.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private DataSource dataSource() {
        return proxy(DataSource.class, (proxy, method, arguments) -> {
            if (!method.getName().equals("getConnection")) {
                throw new UnsupportedOperationException(method.getName());
            }
            return connection();
        });
    }

    private Connection connection() throws SQLException {
        Transaction transaction;
        try {
            transaction = Database.TRANSACTIONS.getTransaction();
        } catch (SystemException thrown) {
            throw new SQLException(thrown);
        }
        if (transaction == null) {
            Enlisted made = alone.open();
            return closing(made.connection(), made.close());
        }
        Connection known = enlisted.get(transaction);
        if (known == null) {
            known = enlist(transaction);
            enlisted.put(transaction, known);
        }
        return closing(known, () -> {});
    }

    private Connection enlist(Transaction transaction) throws SQLException {
        Enlisted made = source.open();
        try {
            boolean unused = transaction.enlistResource(made.resource());
            transaction.registerSynchronization(new Synchronization() {
                @Override
                public void beforeCompletion() {}

                @Override
                public void afterCompletion(int status) {
                    enlisted.remove(transaction);
                    try {
                        made.close().run();
                    } catch (SQLException broken) {
                        // It was cut.
                    }
                }
            });
            return made.connection();
        } catch (RollbackException | SystemException | IllegalStateException thrown) {
            made.close().run();
            throw new SQLException(thrown);
        }
    }

    private static Connection closing(Connection connection, Close close) {
        return proxy(Connection.class, (proxy, method, arguments) -> {
            if (method.getName().equals("close")) {
                close.run();
                return null;
            }
            try {
                return method.invoke(connection, arguments);
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        });
    }
}
