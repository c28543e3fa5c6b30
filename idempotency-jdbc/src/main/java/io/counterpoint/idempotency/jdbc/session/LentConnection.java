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
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A borrowed connection and what a session has changed on it. It is returned in its original state or terminated: a
 * connection that is not known to be in a clean state is never passed on to another caller. The work gets a guarded
 * view of it.
 *
 * @param <C> the handle that the work gets
 */
public abstract class LentConnection<C> {

    /** How long to wait for a call of another thread that cannot be cancelled. */
    private static final Duration LONGEST_CALL = Duration.ofSeconds(5);

    final Connections<C> from;
    final Dialect dialect;
    final Connection connection;

    /** The same connection, if a transaction manager ends its transactions. */
    final @Nullable ManagedConnection managed;

    private final GuardedConnection guard;

    /**
     * Rule 16: whether the connection has to be terminated, because the end of its transaction was not observed or the
     * driver may have been in the middle of a message. JDBC commits an open transaction when autocommit is switched on.
     */
    private boolean broken;

    private boolean outlived;

    /** Whether the dialect's first step, which turns autocommit off, begins the transaction. */
    private boolean beginsWithStep;

    /** Whether the last step turns autocommit on after the COMMIT sent with it. */
    private boolean endsWithAutoCommit;

    private OptionalInt isolationBefore = OptionalInt.empty();

    /** What an unqualified table depended on before the work, if the driver knows. */
    private Optional<String> tableChoiceBefore = Optional.empty();

    protected LentConnection(Connections<C> from, Dialect dialect, GuardedConnection guard) {
        this.from = from;
        this.dialect = dialect;
        this.connection = guard.delegate();
        this.managed = ManagedConnection.of(connection);
        this.guard = guard;
        guard.refuse(dialect.implicitCommits(), dialect.table().schema().isEmpty() ? dialect.tableChoices() : Set.of());
    }

    public final GuardedConnection guard() {
        return guard;
    }

    // ---- the view of the work ------------------------------------------------------------------------------------

    /** Returns the handle that the work gets; the same object every time. */
    public abstract C view();

    /**
     * Whether the view closes the connection when it is {@link #closed}. By default, the view is the connection and
     * does not.
     */
    protected boolean closesConnection() {
        return false;
    }

    /** Notifies the view of a commit. By default, does nothing, like the next two methods. */
    protected void committed() {}

    /** Notifies the view of a rollback. */
    protected void rolledBack() {}

    /** Notifies the view of the end of all transactions. */
    protected void closed() {}

    // ---- transactions --------------------------------------------------------------------------------------------

    /**
     * An error may have occurred in the middle of a message, so that the driver would read another caller's reply next.
     */
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

    /**
     * The work has ended the transaction. A rollback no longer undoes what it has changed in the session, such as
     * settings and locks, so the connection is terminated, unless that would harm its pool. A manager's connection may
     * belong to another caller by now.
     */
    final void endedByWork() {
        broken |= managed == null && dialect.losesStepByErrors();
    }

    /** Statements that also end the transaction. A transaction manager ends it itself. */
    final Optional<CombinedStatements> combined() throws SQLException {
        return managed != null ? Optional.empty() : dialect.combined(connection);
    }

    /**
     * The same for the end of a transaction, turning autocommit on after it, unless untracked code could make use of
     * that.
     */
    final Optional<CombinedStatements> combinedAtEnd() throws SQLException {
        Optional<CombinedStatements> combined = combined();
        Optional<CombinedStatements> turningOn = combined.isPresent() && guard.initialAutoCommit() && !guard.hasPassed()
                ? combined.get().turningAutoCommitOn(connection)
                : Optional.empty();
        endsWithAutoCommit = turningOn.isPresent();
        return turningOn.or(() -> combined);
    }

    /** Whether the work has ended a manager's transaction or detached it from this thread. */
    final boolean isEndedForManager() {
        return managed != null && managed.hasEnded();
    }

    /**
     * Whether the work has ended a transaction, if the driver knows. A transaction in which nothing was sent has not
     * begun there.
     */
    final boolean isEndedForDriver() throws SQLException {
        return guard.hasExecuted()
                && !connection.isClosed()
                && dialect.combined(connection).isPresent()
                && !dialect.hasBegun(connection);
    }

    /** Begins a transaction, or leaves that to its first step if that saves a round trip. */
    final void begin(boolean mayBeginWithStep) {
        tableChoiceBefore = tableChoiceBefore.or(this::tableChoice);
        switchAutoCommit(false, mayBeginWithStep && managed == null);
    }

    /** Runs the first step of a transaction, which may begin it. */
    final <T> T first(Sql.Step<T> step) throws SQLException {
        try {
            return step.run();
        } finally {
            begun();
        }
    }

    /**
     * Informs the driver and a pool that the transaction has begun. A driver that tracks the server's state sends
     * nothing, unless the step has failed, because an error does not carry the mode. If this fails, the server may
     * still have begun the transaction.
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

    /**
     * Called after a COMMIT that was sent with the last step. Anything that a callback writes afterwards must not be
     * committed.
     */
    final void committedTogether() throws SQLException {
        // Sends nothing, but pools track the state.
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
                    // Turning it on would commit an open transaction.
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
     * Ends the work: its other threads are rejected from here on.
     *
     * @throws StoreException if one of them is in a call, which cannot be waited for, so nothing is committed
     */
    final void endWork() {
        begun();
        if (!guard.gate().end()) {
            throw inFlight();
        }
    }

    /** What an unqualified table depends on, if the driver knows. A manager's connection may belong to others. */
    private Optional<String> tableChoice() {
        try {
            return managed == null && dialect.table().schema().isEmpty()
                    ? dialect.knownTableChoice(connection)
                    : Optional.empty();
        } catch (SQLException broken) {
            return Optional.empty();
        }
    }

    /**
     * Whether every statement would wait forever, also one that asks whether the transaction is still the same. Only
     * work that has obtained a driver object can cause this, and it may have committed there before.
     */
    final boolean isBlocked() {
        try {
            return guard.hasPassed() && dialect.isBlocked(connection);
        } catch (SQLException unknown) {
            return false;
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

    /**
     * Rolls back. If another thread is in a call, a rollback would wait for it, so the connection is terminated
     * instead.
     */
    final void rollback(Throwable because) {
        broken |= DatabaseErrors.isReadOnly(because, dialect);
        try {
            if (broken && managed != null) {
                // A manager would pass it on at the end of the transaction.
                discard();
            } else if (isLeft(because) && !isBlocked()) {
                connection.rollback();
            } else {
                broken = true;
                discard();
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

    /**
     * Whether no other thread is in a call. A driver within this process cannot cancel one: closing would wait for it
     * too.
     */
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
     * Returns the connection, or terminates it first if it is not in its original state. Throws nothing: whatever was
     * done on the connection is final. A view that the work has tried to close does not return it.
     */
    public final void close(boolean asItWasLent) {
        try {
            if (!asItWasLent) {
                discard();
            }
            closed();
            guard.giveBack(closesConnection());
        } catch (Throwable failed) {
            if (!discardAndClose()) {
                from.leave(this);
            }
        }
    }

    /** A manager's connection also ends its transaction. */
    private void discard() throws SQLException {
        if (managed == null) {
            Dialect.discard(connection);
        } else {
            managed.abort();
        }
    }

    /** Used for a connection in an unknown state. A pool frees its slot only when it is closed. */
    final boolean discardAndClose() {
        try {
            discard();
            connection.close();
            return true;
        } catch (Throwable failed) {
            return false;
        }
    }

    /**
     * Whether the connection is in its original state. Anything that a callback began after the end is rolled back.
     * Turning autocommit on would commit an open transaction, so this is never done if the end of a transaction was not
     * observed.
     */
    private boolean isAsItWasLent() {
        if (broken || !guard.gate().end()) {
            return false;
        }
        try {
            if (isBlocked()) {
                return false;
            }
            if (connection.isClosed()) {
                return true;
            }
            restore();
            return tableChoiceBefore.isEmpty() || tableChoice().equals(tableChoiceBefore);
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
