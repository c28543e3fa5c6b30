package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.MisuseException;
import jakarta.transaction.InvalidTransactionException;
import jakarta.transaction.NotSupportedException;
import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A transaction manager with the data source whose connections take part in its transactions. */
record Manager(
        TransactionManager transactions,
        TransactionSynchronizationRegistry registry,
        DataSource dataSource,
        TransactionView view) {

    Transaction begin() throws SQLException {
        try {
            transactions.begin();
            return transactions.getTransaction();
        } catch (NotSupportedException | SystemException | RuntimeException refused) {
            throw new SQLException("The transaction manager has begun no transaction", "08001", refused);
        }
    }

    /** Returns the connection that the work and the steps share. */
    Connection enlisted(Transaction transaction) throws SQLException {
        Connection connection;
        try {
            connection = dataSource.getConnection();
        } catch (SQLException unavailable) {
            throw new SQLException("There was no connection for a transaction", "08001", unavailable);
        }
        int resources = view.resources(transaction);
        if (resources != 1) {
            connection.close();
            throw new MisuseException("The data source must enlist one resource with the transaction, but enlisted "
                    + resources + ". Work on a connection that is not enlisted commits separately. Give the store a"
                    + " data source that the transaction manager controls: in Quarkus the default one, elsewhere one"
                    + " with jta=true.");
        }
        return connection;
    }

    /**
     * Rolls back like the manager after its timeout, to check that later writes of the work cannot commit on their own.
     */
    void requireNothingAfterTimeout() throws SQLException {
        try {
            Transaction transaction = transactions.getTransaction();
            transaction.rollback();
            if (!isCurrent(transaction)) {
                transactions.resume(transaction);
            }
        } catch (SystemException | InvalidTransactionException thrown) {
            throw new SQLException("The transaction manager could not roll back", "08001", thrown);
        }
        if (isCommittingAlone()) {
            throw new MisuseException(
                    "The data source accepts work after the transaction manager's timeout, on a connection that"
                            + " commits separately: that work would persist, and the work runs again. Use a pool that"
                            + " respects the transaction's status, such as Agroal.");
        }
    }

    private boolean isCommittingAlone() {
        try (Connection given = dataSource.getConnection()) {
            return given.getAutoCommit();
        } catch (SQLException | RuntimeException refused) {
            return false;
        }
    }

    /** Whether this is the transaction of this thread. */
    boolean isCurrent(Transaction transaction) {
        try {
            return transaction.equals(transactions.getTransaction());
        } catch (SystemException unknown) {
            return false;
        }
    }

    /** The status of this thread's transaction. */
    int status() {
        try {
            return transactions.getStatus();
        } catch (SystemException unknown) {
            return Status.STATUS_UNKNOWN;
        }
    }

    /** On this thread: a pool that is called back for a suspended transaction may fail, and commit what it should roll back. */
    void rollback(Transaction transaction) throws SystemException {
        try {
            if (!isCurrent(transaction)) {
                leave(transaction);
            }
        } finally {
            resume(transaction);
            transactions.rollback();
        }
    }

    private void resume(Transaction transaction) throws SystemException {
        if (!isCurrent(transaction)) {
            try {
                transactions.resume(transaction);
            } catch (InvalidTransactionException ended) {
                throw new IllegalStateException("The transaction has already ended.", ended);
            }
        }
    }

    /** What the work has begun itself, and left open. */
    private void rollbackLeft() throws SystemException {
        if (status() != Status.STATUS_NO_TRANSACTION) {
            transactions.rollback();
        }
    }

    /** Takes from this thread what could not be ended, and what the work has left: what comes next must not join it. */
    void leave(Transaction transaction) {
        try {
            try {
                if (!isCurrent(transaction)) {
                    rollbackLeft();
                }
            } finally {
                Transaction unused = transactions.suspend();
            }
        } catch (SystemException unanswered) {
            throw new IllegalStateException(
                    "The transaction manager does not accept a transaction from this thread.", unanswered);
        }
    }
}
