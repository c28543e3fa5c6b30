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
 * The application's transaction manager, with the data source whose connections it binds to its threads.
 *
 * @param entities what else takes part in its transactions
 */
record SpringTransactions(PlatformTransactionManager manager, DataSource dataSource, Entities entities) {

    /** What the caller on this thread has defined, and what the transaction begins with that comes next. */
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

    /** What the transaction of this thread begins with. */
    static TransactionDefinition definition() {
        TransactionDefinition defined = DEFINITION.get();
        return defined == null ? OperationDefinition.DEFAULT : defined;
    }

    /** What a transaction begins with that a store of these defaults begins. */
    static TransactionDefinition definition(TransactionDefinition defaults) {
        TransactionDefinition defined = DEFINITION.get();
        return defined == null ? defaults : OperationDefinition.of(defined, defaults.getIsolationLevel());
    }

    /** What the manager has bound, in a transaction that has begun. */
    ConnectionHolder requireBound() {
        if (!(TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder)) {
            throw new MisuseException(
                    "Expected the transaction manager " + manager.getClass().getName()
                            + " to bind a connection of the store's data source, found none. Effect and record commit on one"
                            + " connection: give the store the transaction manager of that data source, such as a"
                            + " JdbcTransactionManager or a JpaTransactionManager. Transactions of JTA need"
                            + " idempotency-jakarta.");
        }
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new MisuseException(
                    "Expected the transaction manager " + manager.getClass().getName()
                            + " to have callbacks, found none. The record is marked in the last of them: leave its"
                            + " transactionSynchronization at SYNCHRONIZATION_ALWAYS.");
        }
        return holder;
    }

    /** Begins a transaction and rolls it back, to see what the promises rest on. */
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
            throw new MisuseException("Expected the connection of a transaction to be open in the callbacks after its"
                    + " end, found it closed. What the database says about a commit would be lost. With Hibernate, leave"
                    + " hibernate.connection.handling_mode at DELAYED_ACQUISITION_AND_HOLD. EclipseLink always gives its"
                    + " connection back before: do the work with JdbcTemplate, or with Hibernate.");
        }
    }
}
