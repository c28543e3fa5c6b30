package io.counterpoint.idempotency.spring;

import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.jdbc.session.StoreFailures;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The application's transaction manager, with the data source whose connections it binds to threads.
 *
 * @param entities other participants in its transactions
 */
record SpringTransactions(PlatformTransactionManager manager, DataSource dataSource, Entities entities) {

    /** The definition set by the caller on this thread, with which the next transaction begins. */
    private static final ThreadLocal<@Nullable TransactionDefinition> DEFINITION = new ThreadLocal<>();

    static <T extends @Nullable Object, X extends Throwable> T defined(
            TransactionDefinition definition, SpringIdempotencyStore.Code<T, X> code) throws X {
        TransactionDefinition before = DEFINITION.get();
        DEFINITION.set(definition);
        try {
            return code.run();
        } finally {
            DEFINITION.set(before);
        }
    }

    /** The definition with which the transaction of this thread begins. */
    static TransactionDefinition definition() {
        TransactionDefinition defined = DEFINITION.get();
        return defined == null ? OperationDefinition.DEFAULT : defined;
    }

    /** The definition for a transaction of a store with these defaults. */
    static TransactionDefinition definition(TransactionDefinition defaults) {
        TransactionDefinition defined = DEFINITION.get();
        return defined == null ? defaults : OperationDefinition.of(defined, defaults.getIsolationLevel());
    }

    /** The holder that the manager has bound in a transaction that has begun. */
    ConnectionHolder requireBound() {
        if (!(TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder)) {
            throw new MisuseException(
                    "The transaction manager " + manager.getClass().getName() + " does not bind a"
                            + " connection of the store's data source, so effect and record could not commit on one"
                            + " connection. Give the store the transaction manager of that data source, such as a"
                            + " JdbcTransactionManager or a JpaTransactionManager. For JTA transactions, use"
                            + " idempotency-jakarta.");
        }
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new MisuseException(
                    "The transaction manager " + manager.getClass().getName() + " has no callbacks,"
                            + " but the record is marked in the last of them. Leave its transactionSynchronization at"
                            + " SYNCHRONIZATION_ALWAYS.");
        }
        return holder;
    }

    /** Begins a transaction and rolls it back to verify what the promises depend on. */
    void require() {
        SpringConnection probe = new SpringConnection(this);
        boolean[] open = new boolean[1];
        try (Connection connection = probe.opened()) {
            connection.setAutoCommit(false);
            Connection bound = requireBound().getConnection();
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    try {
                        open[0] = !bound.isClosed();
                    } catch (SQLException unknown) {
                        open[0] = false;
                    }
                }
            });
            connection.rollback();
        } catch (SQLException thrown) {
            throw StoreFailures.noConnection(thrown);
        }
        if (!open[0]) {
            throw new MisuseException(
                    "The connection of a transaction was already closed in the callbacks after its end, so the"
                            + " database's reply to a commit would be lost. With Hibernate, leave"
                            + " hibernate.connection.handling_mode at DELAYED_ACQUISITION_AND_HOLD. EclipseLink"
                            + " always returns its connection earlier: do the work with JdbcTemplate, or with"
                            + " Hibernate.");
        }
    }
}
