package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.jdbc.guard.Gate;
import io.counterpoint.idempotency.jdbc.guard.GuardedConnection;
import io.counterpoint.idempotency.jdbc.spi.CombinedStatements;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A borrowed connection and what a session has changed of it. It is returned as it was borrowed, or closed. What the
 * session does not see to end well is never given to another caller. What the work sees of it is guarded.
 *
 * @param <C> what the work sees
 */
public abstract class LentConnection<C> {

    /** How long a call of another thread is waited for, where it cannot be ended. */
    private static final Duration LONGEST_CALL = Duration.ofSeconds(5);

    final Connections<C> from;
    final Dialect dialect;
    final Connection connection;

    /** The same connection, where a transaction manager ends its transactions. */
    final @Nullable ManagedConnection managed;

    private final GuardedConnection guard;

    /**
     * Rule 16: whether the connection has to be ended: its transaction was not seen to end, or the driver may have been in the
     * middle of a message. JDBC commits an open transaction when autocommit is switched on.
     */
    private boolean broken;

    private boolean outlived;

    /** Whether a transaction is to begin with the dialect's first step, which turns autocommit off. */
    private boolean beginsWithStep;

    /** Whether the last step turns autocommit on after the COMMIT that is sent with it. */
    private boolean endsWithAutoCommit;

    private OptionalInt isolationBefore = OptionalInt.empty();

    protected LentConnection(Connections<C> from, Dialect dialect, GuardedConnection guard) {
        this.from = from;
        this.dialect = dialect;
        this.connection = guard.delegate();
        this.managed = ManagedConnection.of(connection);
        this.guard = guard;
        guard.refuse(dialect.implicitCommits());
    }

    public final GuardedConnection guard() {
        return guard;
    }

    // ---- what the work sees --------------------------------------------------------------------------------------

    /** What the work sees, the same each time. */
    public abstract C view();

    /** Whether the view closes the connection when it is {@link #closed}. By default, it is the connection, and does not. */
    protected boolean closesConnection() {
        return false;
    }

    /** Lets the view do what follows a commit. By default, nothing, as in the next two. */
    protected void committed() {}

    /** Lets the view do what follows a rollback. */
    protected void rolledBack() {}

    /** Lets the view do what follows the end of all transactions. */
    protected void closed() {}

    // ---- transactions --------------------------------------------------------------------------------------------

    /** An error may have struck in the middle of a message: the driver would read another caller's answer next. */
    final <T> T watched(Supplier<T> calls) {
        try {
            return calls.get();
        } catch (StoreException thrown) {
            broken |= DatabaseErrors.isReadOnly(thrown, dialect);
            throw thrown;
        } catch (Error thrown) {
            struckByError();
            throw thrown;
        }
    }

    final void struckByError() {
        broken |= dialect.losesStepByErrors();
    }

    /** Statements that end the transaction with what they do. A transaction manager ends it alone. */
    final Optional<CombinedStatements> combined() throws SQLException {
        return managed != null ? Optional.empty() : dialect.combined(connection);
    }

    /** The same for the end of a transaction, with autocommit on after it, unless what nothing counts could use that. */
    final Optional<CombinedStatements> combinedAtEnd() throws SQLException {
        Optional<CombinedStatements> combined = combined();
        Optional<CombinedStatements> turningOn = combined.isPresent() && guard.initialAutoCommit() && !guard.hasPassed()
                ? combined.get().turningAutoCommitOn(connection)
                : Optional.empty();
        endsWithAutoCommit = turningOn.isPresent();
        return turningOn.or(() -> combined);
    }

    /** Whether the work has ended the transaction of a manager, or has taken it from this thread. */
    final boolean isEndedForManager() {
        return managed != null && managed.hasEnded();
    }

    /** Whether it has ended one, where the driver knows. A transaction in which nothing was sent has not begun there. */
    final boolean isEndedForDriver() throws SQLException {
        return guard.hasExecuted()
                && !connection.isClosed()
                && dialect.combined(connection).isPresent()
                && !dialect.hasBegun(connection);
    }

    /** Begins a transaction, or leaves that to its first step where that costs no round trip of its own. */
    final void begin(boolean mayBeginWithStep) {
        switchAutoCommit(false, mayBeginWithStep && managed == null);
    }

    /** The first step of a transaction, in which it may begin. */
    final <T> T first(Sql.Step<T> step) throws SQLException {
        try {
            return step.run();
        } finally {
            begun();
        }
    }

    /**
     * Lets the driver, and a pool, know that the transaction has begun. A driver that follows the server sends nothing, unless
     * the step has failed, since an error has no mode with it. Where this fails, the server may have begun all the same.
     */
    final void begun() {
        if (beginsWithStep) {
            beginsWithStep = false;
            broken = true;
            try {
                connection.setAutoCommit(false);
                broken = false;
            } catch (SQLException thrown) {
                throw StoreFailures.of("Could not begin a transaction", Fault.CONNECTION_LOST, dialect, thrown);
            }
        }
    }

    /** Follows a COMMIT that was sent with the last step. What a callback writes after it must not be committed. */
    final void committedTogether() throws SQLException {
        // Sends nothing, but pools keep books.
        connection.commit();
        if (endsWithAutoCommit) {
            guard.beforeNextUse(() -> connection.setAutoCommit(false));
            connection.setAutoCommit(true);
        }
    }

    final void switchAutoCommit(boolean wanted) {
        switchAutoCommit(wanted, false);
    }

    private void switchAutoCommit(boolean wanted, boolean mayBeginWithStep) {
        beginsWithStep = false;
        if (broken) {
            throw new StoreException(
                    "The previous transaction on this connection was not seen to end", Fault.CONNECTION_LOST, null);
        }
        try {
            if (connection.getAutoCommit() != wanted || managed != null) {
                if (wanted) {
                    // To turn it on would commit what is open.
                    connection.rollback();
                }
                beginsWithStep = mayBeginWithStep && dialect.turnsAutoCommitOff(connection);
                if (!beginsWithStep) {
                    connection.setAutoCommit(wanted);
                }
            }
        } catch (SQLException thrown) {
            throw StoreFailures.of("Could not begin a transaction", dialect, connection, thrown);
        } catch (Error thrown) {
            struckByError();
            throw thrown;
        }
    }

    /**
     * Ends the work: its other threads are refused from here on.
     *
     * @throws StoreException if one of them is in a call. What it does cannot be waited for, so nothing is committed
     */
    final void endWork() {
        begun();
        if (!guard.gate().end()) {
            throw inFlight();
        }
    }

    /** Whether another thread was in a call when the work ended. */
    final boolean isOutlived() {
        return outlived;
    }

    private static StoreException inFlight() {
        return new StoreException(
                "When the work ended, another thread of the work was still using the connection. Nothing is"
                        + " committed, and the connection is closed. Wait for all tasks of the work before the work"
                        + " returns, also after a timeout",
                Fault.STATEMENT_REFUSED,
                null);
    }

    /** Sets the isolation of the transaction that begins with the next statement. */
    final void isolate(int level) {
        try {
            if (isolationBefore.isEmpty()) {
                isolationBefore = dialect.isolationToRestore(connection);
            }
            dialect.isolate(connection, level);
        } catch (SQLException thrown) {
            throw StoreFailures.of("Could not set the isolation level", dialect, connection, thrown);
        }
    }

    /** Rolls back. Where another thread is in a call, that would wait for it: then the connection is ended instead. */
    final void rollback(Throwable because) {
        broken |= DatabaseErrors.isReadOnly(because, dialect);
        try {
            if (broken && managed != null) {
                // A manager would hand it on with the end of the transaction.
                Dialect.discard(connection);
            } else if (isLeft(because)) {
                connection.rollback();
            } else {
                broken = true;
                Dialect.discard(connection);
            }
        } catch (SQLException | RuntimeException | Error thrown) {
            broken = true;
            suppress(because, thrown);
        }
        try {
            rolledBack();
        } catch (RuntimeException | Error thrown) {
            suppress(because, thrown);
        }
    }

    /** Whether no other thread is in a call. A driver within this process cannot end one: to close waits for it too. */
    private boolean isLeft(Throwable because) {
        Gate gate = guard.gate();
        outlived = !gate.end();
        if (!outlived) {
            return true;
        }
        if (!(because instanceof StoreException)) {
            suppress(because, inFlight());
        }
        gate.cancelAll();
        return !dialect.losesStepByErrors() && gate.isLeftWithin(LONGEST_CALL);
    }

    private static void suppress(Throwable thrown, Throwable also) {
        if (thrown != also) {
            thrown.addSuppressed(also);
        }
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    final void giveBack() {
        close(isAsItWasLent());
    }

    /**
     * Gives the connection back, or ends it first if it is not as it was lent. Throws nothing: what was done with the
     * connection stands. A view that the work has closed, in vain, does not give it back.
     */
    public final void close(boolean asItWasLent) {
        try {
            if (!asItWasLent) {
                Dialect.discard(connection);
            }
            closed();
            guard.giveBack(closesConnection());
        } catch (Throwable failed) {
            if (!discardAndClose()) {
                from.leave(this);
            }
        }
    }

    /** For a connection of which nobody knows any more how far it got. A pool frees its place by the close only. */
    final boolean discardAndClose() {
        try {
            Dialect.discard(connection);
            connection.close();
            return true;
        } catch (Throwable failed) {
            return false;
        }
    }

    /**
     * Whether the connection is as it came. What a callback has begun after the end is rolled back. Turning autocommit
     * on would commit an open transaction, so a transaction whose end was not seen is never ended by that.
     */
    private boolean isAsItWasLent() {
        if (broken || !guard.gate().end()) {
            return false;
        }
        try {
            if (!connection.isClosed()) {
                restore();
            }
            return true;
        } catch (SQLException | RuntimeException | Error unknown) {
            return false;
        }
    }

    private void restore() throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
        if (isolationBefore.isPresent()) {
            connection.setTransactionIsolation(isolationBefore.getAsInt());
        }
        if (connection.getAutoCommit() != guard.initialAutoCommit()) {
            connection.setAutoCommit(guard.initialAutoCommit());
        }
    }
}
