package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.jdbc.session.ManagedConnection.Ended;
import io.counterpoint.idempotency.jdbc.session.MarkedCommit;
import io.counterpoint.idempotency.spi.BeforeCommitException;
import jakarta.transaction.Synchronization;
import jakarta.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.BooleanSupplier;

/** Sends the last statement of a transaction, after what was registered before has written what it held back. */
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

    /** Comes after all that are registered now, and before all interposed ones that will be. */
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
            // A pool would complain of a connection that is open at the commit.
            connection.close();
        } catch (SQLException thrown) {
            throw new IllegalStateException("The connection failed after the mark.", thrown);
        }
    }

    /** Comes before the pool gets the connection back, which knows what the database said about the commit. */
    @Override
    public void afterCompletion(int status) {
        completed.run();
        last = synchronizations == manager.view().synchronizations(transaction);
        commit.readWarnings();
    }

    /** How the transaction ended whose commit has thrown. */
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

    /** How the transaction ended, unless something can have undone the statement between its answer and the commit. */
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
