package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.jdbc.session.ManagedConnection.Ended;
import io.counterpoint.idempotency.jdbc.session.MarkedCommit;
import io.counterpoint.idempotency.spi.BeforeCommitException;
import jakarta.transaction.Synchronization;
import jakarta.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.BooleanSupplier;

/**
 * Sends the last statement of a transaction, after previously registered synchronizations have flushed their writes.
 */
final class Mark implements Synchronization {

    private final Manager manager;
    private final Transaction transaction;
    private final Connection connection;
    private final MarkedCommit commit;
    private final Runnable completed;
    private int synchronizations;
    private boolean reached;
    private boolean last;

    Mark(
            Manager manager,
            Transaction transaction,
            Connection connection,
            BooleanSupplier statement,
            Runnable completed) {
        this.manager = manager;
        this.transaction = transaction;
        this.connection = connection;
        this.commit = new MarkedCommit(connection, statement);
        this.completed = completed;
    }

    /** Runs after all currently registered synchronizations and before all interposed ones registered later. */
    void register() {
        manager.registry().registerInterposedSynchronization(this);
        synchronizations = manager.view().synchronizations(transaction);
    }

    @Override
    public void beforeCompletion() {
        reached = true;
        int resources = manager.view().resources(transaction);
        if (resources != 1) {
            throw new IllegalStateException("The transaction of an idempotent operation must have one resource, found "
                    + resources + ". Several can end differently, and the record belongs to only one of them. Use one"
                    + " data source in the work; reach queues and other databases through an outbox, or after the"
                    + " operation.");
        }
        if (!commit.send()) {
            manager.registry().setRollbackOnly();
            return;
        }
        try {
            // A pool would complain about a connection that is open at the commit.
            connection.close();
        } catch (SQLException thrown) {
            throw new IllegalStateException("The connection failed after the mark.", thrown);
        }
    }

    /** Runs before the connection, which has the database's warnings about the commit, is returned to the pool. */
    @Override
    public void afterCompletion(int status) {
        completed.run();
        last = synchronizations == manager.view().synchronizations(transaction);
        commit.readWarnings();
    }

    /** Returns how the transaction ended if its commit threw. */
    Ended afterException(Exception thrown) throws SQLException {
        if (commit.isRefused()) {
            return new Ended(false, null, null);
        }
        RuntimeException failure = commit.failure();
        if (failure != null) {
            throw failure;
        }
        if (!reached && thrown.getCause() instanceof RuntimeException callback) {
            throw new BeforeCommitException(callback);
        }
        throw new SQLException(
                "The transaction manager threw during the commit; whether it committed is unknown", "08007", thrown);
    }

    /**
     * Returns how the transaction ended, unless something may have undone the statement between its reply and the
     * commit.
     */
    Ended afterReturn() throws SQLException {
        if (!commit.isAnswered()) {
            return new Ended(false, null, null);
        }
        if (!last) {
            throw new SQLException("The mark may not have been the last statement before the commit", "08007");
        }
        return new Ended(true, commit.warning(), null);
    }
}
