package io.counterpoint.idempotency.spring;

import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.jdbc.session.ManagedConnection;
import io.counterpoint.idempotency.jdbc.session.MarkedCommit;
import io.counterpoint.idempotency.spi.BeforeCommitException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.SmartDataSource;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A connection whose transactions are those of the application's transaction manager. In a transaction, it is the
 * connection that the manager has bound to the thread.
 *
 * <p>No matter what the manager throws at a commit, it is unknown what is committed unless the mark was not sent. A
 * normal return is trusted only if the mark was acknowledged and the manager has notified its callbacks of the commit.
 */
final class SpringConnection extends ManagedConnection {

    private final SpringTransactions transactions;
    private Entities.@Nullable Loan loan;
    private @Nullable TransactionStatus status;
    /** The holder bound to the thread for the data source in this transaction. */
    private @Nullable ConnectionHolder bound;

    private Set<String> separate = Set.of();
    private int separateDepth;
    private boolean working;
    private boolean inOuterSession;

    SpringConnection(SpringTransactions transactions) {
        this.transactions = transactions;
    }

    /** The instance whose transaction is open on this thread. */
    static @Nullable SpringConnection current() {
        return (SpringConnection) TransactionSynchronizationManager.getResource(SpringConnection.class);
    }

    /** The same, for a transaction that has just begun. */
    static SpringConnection begun() {
        return Objects.requireNonNull(current(), "No transaction has begun on this thread.");
    }

    // ---- connections outside transactions ------------------------------------------------------------------------

    @Override
    protected Connection lend() throws SQLException {
        Entities.Loan lent = transactions.entities().lend(transactions.dataSource());
        loan = lent;
        return lent.connection();
    }

    /**
     * The connection of a transaction has been closed by the manager or is kept by its session. If the manager failed
     * to close it, a pool would lose it.
     */
    @Override
    protected void giveBack(Connection lent, boolean ofTransaction) throws SQLException {
        Entities.Loan given = loan;
        if (ofTransaction && !inOuterSession && !(transactions.dataSource() instanceof SmartDataSource)) {
            lent.close();
        } else if (!ofTransaction && given != null) {
            given.giveBack();
            loan = null;
        }
    }

    // ---- the transaction -----------------------------------------------------------------------------------------

    @Override
    protected Connection begin() throws SQLException {
        inOuterSession = transactions.entities().areBound();
        TransactionStatus begun;
        try {
            begun = transactions.manager().getTransaction(SpringTransactions.definition());
        } catch (RuntimeException refused) {
            // Includes exceptions of a listener: none of the work has run.
            throw new SQLException("The transaction manager has begun no transaction", "08001", refused);
        }
        status = begun;
        try {
            ConnectionHolder holder = transactions.requireBound();
            bound = holder;
            TransactionSynchronizationManager.registerSynchronization(new Watch());
            TransactionSynchronizationManager.bindResource(SpringConnection.class, this);
            working = true;
            return holder.getConnection();
        } catch (RuntimeException | Error thrown) {
            rollBack();
            throw thrown;
        }
    }

    /** Passes the guarded connection to the work; Spring itself ends the transaction through its own reference. */
    void join(Connection guarded, Set<String> separateTransactions) {
        ConnectionHolder managers = bound;
        if (managers == null) {
            throw new MisuseException("The transaction has ended.");
        }
        separate = separateTransactions;
        bound = new Guarded(guarded, managers);
        Object unused = TransactionSynchronizationManager.unbindResource(transactions.dataSource());
        TransactionSynchronizationManager.bindResource(transactions.dataSource(), bound);
    }

    private static final class Guarded extends ConnectionHolder {
        Guarded(Connection guarded, ConnectionHolder managers) {
            super(guarded, true);
            setSynchronizedWithTransaction(true);
            if (managers.hasTimeout()) {
                setTimeoutInMillis(managers.getTimeToLiveInMillis());
            }
        }
    }

    /** Whether the work changes objects of a session that is open around the call. */
    boolean isInOuterSession() {
        return inOuterSession;
    }

    @Override
    protected boolean isBegun() {
        return status != null;
    }

    @Override
    protected boolean hasEnded() {
        TransactionStatus mine = status;
        return mine != null
                && (mine.isCompleted()
                        || TransactionSynchronizationManager.getResource(transactions.dataSource()) != bound);
    }

    void requireNotRollbackOnly() {
        TransactionStatus mine = status;
        ConnectionHolder holder = bound;
        if (mine != null && holder != null && (mine.isRollbackOnly() || holder.isRollbackOnly())) {
            throw new UnexpectedRollbackException(
                    "Code that joined the transaction of an idempotent operation marked it as rollback-only, but the"
                            + " work did not throw. Rethrow that code's exception from the work, or catch it inside"
                            + " the method whose transaction it must not end.");
        }
    }

    // ---- its end -------------------------------------------------------------------------------------------------

    @Override
    protected Ended commitAfter(BooleanSupplier last) throws SQLException {
        TransactionStatus mine = status;
        Connection connection = lent();
        if (mine == null || connection == null || hasEnded()) {
            throw new SQLException("The transaction no longer belongs to this thread", "08007");
        }
        LastCallback callback = new LastCallback(new MarkedCommit(connection, last));
        try {
            requireNotRollbackOnly();
            TransactionSynchronizationManager.registerSynchronization(callback);
        } catch (RuntimeException thrown) {
            throw new BeforeCommitException(thrown);
        }
        try {
            transactions.manager().commit(mine);
        } catch (RuntimeException thrown) {
            return callback.afterException(thrown);
        } finally {
            over();
        }
        return callback.afterReturn();
    }

    /**
     * Rolls back before the manager does. If the driver failed during the manager's rollback, the manager would
     * continue and turn autocommit on, which would commit the open transaction.
     */
    private class RollBackFirst implements TransactionSynchronization {
        boolean rollsBack() {
            return true;
        }

        @Override
        public final void beforeCompletion() {
            Connection own = lent();
            if (rollsBack() && own != null) {
                rollBackOrDiscard(own);
            }
        }
    }

    private static void rollBackOrDiscard(Connection own) {
        try {
            own.rollback();
        } catch (SQLException | RuntimeException | Error failed) {
            discard(own);
        }
    }

    /** Sends the mark after all other callbacks before the commit. */
    private final class LastCallback extends RollBackFirst {
        private final MarkedCommit commit;
        private boolean committed;

        LastCallback(MarkedCommit commit) {
            this.commit = commit;
        }

        @Override
        boolean rollsBack() {
            return !commit.isAnswered();
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            transactions.entities().beforeCommit();
            requireNotRollbackOnly();
            if (!commit.send()) {
                throw new Refused();
            }
        }

        @Override
        public void afterCompletion(int end) {
            committed = end == STATUS_COMMITTED;
            commit.readWarnings();
            Connection own = lent();
            if (!committed && commit.isAnswered() && own != null) {
                // The state of the commit is unknown, and the manager would pass the connection on.
                if (inOuterSession) {
                    rollBackOrDiscard(own);
                } else {
                    discard(own);
                }
            }
        }

        Ended afterException(RuntimeException thrown) throws SQLException {
            if (commit.isUnsent()) {
                throw new BeforeCommitException(thrown);
            }
            if (commit.isRefused()) {
                return new Ended(false, null, null);
            }
            RuntimeException failure = commit.failure();
            if (failure != null) {
                throw failure;
            }
            if (committed && commit.isAnswered()) {
                return new Ended(true, commit.warning(), thrown);
            }
            throw new SQLException(
                    "The transaction manager threw during the commit; whether it committed is unknown",
                    "08007",
                    thrown);
        }

        Ended afterReturn() throws SQLException {
            if (committed && commit.isAnswered()) {
                return new Ended(true, commit.warning(), null);
            }
            throw new SQLException("The transaction manager did not confirm the commit", "08007");
        }
    }

    /** Rolls back a transaction whose record belongs to another call. */
    private static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Refused() {
            super("The database refused to mark the record.", null, false, false);
        }
    }

    private void over() {
        status = null;
        bound = null;
        working = false;
        Object unused = TransactionSynchronizationManager.unbindResourceIfPossible(SpringConnection.class);
        try {
            giveBack();
        } catch (SQLException | RuntimeException gone) {
            // The transaction is over, so an error on its connection says nothing about it.
        }
    }

    @Override
    protected void rollBack() throws SQLException {
        TransactionStatus mine = status;
        if (mine == null) {
            return;
        }
        try {
            if (!mine.isCompleted()) {
                if (TransactionSynchronizationManager.isSynchronizationActive()) {
                    TransactionSynchronizationManager.registerSynchronization(new RollBackFirst());
                }
                transactions.manager().rollback(mine);
            }
        } catch (RuntimeException thrown) {
            throw new SQLException("The transaction manager could not roll back", "08007", thrown);
        } finally {
            over();
        }
    }

    // ---- code that commits independently -------------------------------------------------------------------------

    /** Called before all other callbacks. */
    private final class Watch implements TransactionSynchronization {
        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @Override
        public void suspend() {
            if (isWorking()) {
                throw SeparateTransactionException.suspended();
            }
        }

        /** From here on, this thread is no longer restricted. */
        @Override
        public void afterCommit() {
            working = false;
        }

        /** Needed for rollbacks, after which afterCommit is not called. */
        @Override
        public void afterCompletion(int end) {
            working = false;
        }
    }

    /** Runs code that may suspend this transaction. */
    <T> T separately(String name, Supplier<? extends T> code) {
        if (!separate.contains(name)) {
            throw SeparateTransactionException.notAllowed(name, separate);
        }
        separateDepth++;
        try {
            return code.get();
        } finally {
            separateDepth--;
        }
    }

    /** Whether everything the thread currently does has to commit with this transaction. */
    boolean isWorking() {
        return working && separateDepth == 0;
    }

    @Override
    public String toString() {
        return "SpringConnection[" + lent() + "]";
    }
}
