package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.jdbc.session.ManagedConnection;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A connection whose transactions are those of a Jakarta transaction manager. In a transaction, it is the connection
 * that the data source has enlisted with the transaction of this thread.
 *
 * <p>No matter what the manager throws at a commit, it is unknown what is committed. Even a normal return is trusted
 * only if the last statement was acknowledged and no synchronization ran after it.
 */
final class JtaConnection extends ManagedConnection implements Synchronization {

    private static final Set<Integer> ROLLED_BACK = Set.of(Status.STATUS_ROLLEDBACK, Status.STATUS_NO_TRANSACTION);

    private static final ThreadLocal<@Nullable JtaConnection> WORKING = new ThreadLocal<>();

    private final Manager manager;
    private @Nullable Transaction transaction;
    private volatile boolean committing;

    JtaConnection(Manager manager) {
        this.manager = manager;
    }

    /** Returns a data source of such connections. */
    static DataSource dataSource(Manager manager) {
        return dataSource(manager.dataSource(), () -> new JtaConnection(manager));
    }

    /** Whether a transaction of an operation is open on this thread. */
    static boolean isWorking() {
        return WORKING.get() != null;
    }

    /** Whether what this thread writes now is part of an operation's transaction. */
    static boolean isInTransaction() {
        JtaConnection working = WORKING.get();
        return working != null && !working.hasEnded();
    }

    @Override
    protected Connection lend() throws SQLException {
        return manager.dataSource().getConnection();
    }

    @Override
    protected void giveBack(Connection lent, boolean ofTransaction) throws SQLException {
        lent.close();
    }

    @Override
    protected Connection begin() throws SQLException {
        Transaction begun = manager.begin();
        transaction = begun;
        WORKING.set(this);
        try {
            committing = false;
            manager.registry().registerInterposedSynchronization(this);
            return manager.enlisted(begun);
        } catch (SQLException | RuntimeException | Error thrown) {
            try {
                rollBack();
            } catch (SQLException | RuntimeException also) {
                thrown.addSuppressed(also);
            }
            throw thrown;
        }
    }

    /**
     * Work can also commit through the transaction itself. That transaction then stays on the thread, with the status
     * of a rollback if the reply to the commit was lost.
     */
    @Override
    public void beforeCompletion() {
        committing = true;
    }

    @Override
    public void afterCompletion(int status) {}

    @Override
    protected boolean isBegun() {
        return transaction != null;
    }

    @Override
    protected boolean hasEnded() {
        return transaction != null && (committing || !manager.isCurrent(transaction));
    }

    @Override
    protected Ended commitAfter(BooleanSupplier last) throws SQLException {
        Transaction mine = transaction;
        Connection enlisted = lent();
        if (mine == null || enlisted == null || !manager.isCurrent(mine)) {
            throw new SQLException("The transaction no longer belongs to this thread", "08007");
        }
        Mark mark = new Mark(manager, mine, enlisted, last, this::over);
        try {
            mark.register();
            manager.transactions().commit();
        } catch (Exception thrown) {
            return mark.afterException(thrown);
        } finally {
            over();
            transaction = null;
            closeAfterCommit();
            manager.leave(mine);
        }
        return mark.afterReturn();
    }

    /** Closes the connection unless the mark has done so. Some pools do not reclaim a connection by themselves. */
    private void closeAfterCommit() {
        try {
            giveBack();
        } catch (SQLException | RuntimeException thrown) {
            // The transaction is over, so an error on its connection says nothing about it.
        }
    }

    /** From here on, this thread is no longer restricted, for example in callbacks after the commit. */
    private void over() {
        if (WORKING.get() == this) {
            WORKING.remove();
        }
    }

    @Override
    protected void rollBack() throws SQLException {
        Transaction mine = transaction;
        if (mine == null) {
            return;
        }
        over();
        transaction = null;
        try {
            giveBack();
        } finally {
            rollBack(mine);
        }
    }

    private void rollBack(Transaction mine) throws SQLException {
        try {
            if (!isRolledBack(mine)) {
                manager.rollback(mine);
            }
        } catch (SystemException | RuntimeException thrown) {
            if (!isRolledBack(mine)) {
                throw new SQLException("The transaction manager could not roll back", "08007", thrown);
            }
        } finally {
            manager.leave(mine);
        }
    }

    /** Whether the manager itself has rolled back, after its timeout. */
    private static boolean isRolledBack(Transaction transaction) {
        try {
            return ROLLED_BACK.contains(transaction.getStatus());
        } catch (SystemException unknown) {
            return false;
        }
    }

    @Override
    public String toString() {
        return "JtaConnection[" + lent() + "]";
    }
}
