package io.counterpoint.idempotency.jakarta;

import jakarta.transaction.RollbackException;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import javax.sql.XAConnection;
import javax.sql.XADataSource;

/** The least that a data source has to do for JTA: one XA connection for each transaction, enlisted with it, and no pool. */
final class PlainXa {

    private final TransactionManager transactions;
    private final XADataSource source;
    private final Map<Transaction, Connection> enlisted = new ConcurrentHashMap<>();

    private PlainXa(TransactionManager transactions, XADataSource source) {
        this.transactions = transactions;
        this.source = source;
    }

    static DataSource of(TransactionManager transactions, XADataSource source) {
        PlainXa plain = new PlainXa(transactions, source);
        return (DataSource) Proxy.newProxyInstance(
                PlainXa.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("getConnection")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    return plain.connection();
                });
    }

    private Connection connection() throws SQLException {
        Transaction transaction;
        try {
            transaction = transactions.getTransaction();
        } catch (SystemException thrown) {
            throw new SQLException(thrown);
        }
        if (transaction == null) {
            XAConnection alone = source.getXAConnection();
            return closing(alone.getConnection(), alone::close);
        }
        Connection known = enlisted.get(transaction);
        if (known == null) {
            known = enlist(transaction);
            enlisted.put(transaction, known);
        }
        return closing(known, () -> {});
    }

    private Connection enlist(Transaction transaction) throws SQLException {
        XAConnection made = source.getXAConnection();
        try {
            boolean unused = transaction.enlistResource(made.getXAResource());
            transaction.registerSynchronization(new Synchronization() {
                @Override
                public void beforeCompletion() {}

                @Override
                public void afterCompletion(int status) {
                    enlisted.remove(transaction);
                    try {
                        made.close();
                    } catch (SQLException broken) {
                        // It was cut.
                    }
                }
            });
            return made.getConnection();
        } catch (RollbackException | SystemException | IllegalStateException thrown) {
            made.close();
            throw new SQLException(thrown);
        }
    }

    private interface Close {
        void run() throws SQLException;
    }

    private static Connection closing(Connection connection, Close close) {
        return (Connection) Proxy.newProxyInstance(
                PlainXa.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
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
