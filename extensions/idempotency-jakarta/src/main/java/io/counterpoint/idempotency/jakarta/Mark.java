package io.counterpoint.idempotency.jakarta;

import jakarta.transaction.Synchronization;
import jakarta.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The last statement of a transaction. It is sent after what was registered before has written what it held back. */
final class Mark implements Synchronization {

    private enum State {
        NOT_SENT,
        REFUSED,
        FAILED,
        ANSWERED
    }

    private final Manager manager;
    private final Transaction transaction;
    private final Connection connection;
    private final BooleanSupplier statement;
    private final Runnable completed;
    private State state = State.NOT_SENT;
    private int synchronizations;
    private boolean last;
    private @Nullable RuntimeException failure;
    private @Nullable Connection driver;
    private @Nullable SQLWarning warning;

    Mark(
            Manager manager,
            Transaction transaction,
            Connection connection,
            BooleanSupplier statement,
            Runnable completed) {
        this.manager = manager;
        this.transaction = transaction;
        this.connection = connection;
        this.statement = statement;
        this.completed = completed;
    }

    /** Comes after all that are registered now, and before all interposed ones that will be. */
    void register() {
        manager.registry().registerInterposedSynchronization(this);
        synchronizations = manager.view().synchronizations(transaction);
    }

    @Override
    public void beforeCompletion() {
        state = State.FAILED;
        int resources = manager.view().resources(transaction);
        if (resources != 1) {
            throw new IllegalStateException(
                    "Expected one resource in the transaction of an idempotent operation, found "
                            + resources
                            + ". Two can end apart, and the record would be of one of them. Use one data source in"
                            + " the work; reach queues and other databases by an outbox, or after the operation.");
        }
        if (!isDone()) {
            state = State.REFUSED;
            manager.registry().setRollbackOnly();
            return;
        }
        try {
            driver = connection.unwrap(Connection.class);
            driver.clearWarnings();
            // A pool would complain of a connection that is open at the commit.
            connection.close();
        } catch (SQLException thrown) {
            throw new IllegalStateException("The connection failed after the mark.", thrown);
        } catch (Error thrown) {
            abort();
            throw thrown;
        }
        state = State.ANSWERED;
    }

    private boolean isDone() {
        try {
            return statement.getAsBoolean();
        } catch (RuntimeException thrown) {
            failure = thrown;
            throw thrown;
        } catch (Error thrown) {
            abort();
            throw thrown;
        }
    }

    /** The driver may have been in the middle of a message: nobody may read on from there. */
    private void abort() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException gone) {
            // Then nobody does.
        }
    }

    /** Comes before the pool gets the connection back, which knows what the database said about the commit. */
    @Override
    public void afterCompletion(int status) {
        completed.run();
        last = synchronizations == manager.view().synchronizations(transaction);
        try {
            warning = driver == null ? null : driver.getWarnings();
        } catch (SQLException closed) {
            // Then there is no warning to be had.
            warning = null;
        }
    }

    boolean isRefused() {
        return state == State.REFUSED;
    }

    /** What the database answered to the statement, which is no answer to the commit: that was never sent. */
    @Nullable
    RuntimeException failure() {
        return failure;
    }

    boolean isAnswered() {
        return state == State.ANSWERED;
    }

    /** Throws unless nothing can have undone the statement between its answer and the commit. */
    void requireLast() throws SQLException {
        if (warning != null) {
            throw new SQLException("The database answered the commit with a warning", "08007", warning);
        }
        if (!last) {
            throw new SQLException("It is not certain that the mark was the last statement before the commit", "08007");
        }
    }
}
