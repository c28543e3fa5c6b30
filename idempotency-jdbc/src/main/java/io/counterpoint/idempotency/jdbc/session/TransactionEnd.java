package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.spi.BeforeCommitException;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.StoreException;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The end of a transaction: its one commit, and what is known about it. */
public final class TransactionEnd {

    /** How much of the commit may have been sent. */
    private enum Commit {
        /** Nothing. */
        OPEN,
        /** Nothing, and nothing will be: the last step was rejected. */
        REFUSED,
        /** All of it, but whether it is committed is unknown. */
        SENT,
        /** All of it, and the database has committed. */
        ANSWERED
    }

    private final LentConnection<?> lent;

    private Commit commit = Commit.OPEN;

    /** Why the commit failed. */
    private @Nullable Throwable failed;

    /** What callbacks threw after the commit. */
    private @Nullable Throwable afterCommit;

    /** Creates the end of the transaction that begins next on a connection. */
    public TransactionEnd(LentConnection<?> lent) {
        this.lent = lent;
    }

    /** Whether nothing may follow: the commit was acknowledged or it failed. */
    boolean isOver() {
        return failed != null || commit == Commit.ANSWERED;
    }

    boolean mayBeSent() {
        return commit == Commit.SENT || commit == Commit.ANSWERED;
    }

    Optional<Throwable> afterCommitFailure() {
        return Optional.ofNullable(afterCommit);
    }

    /** Ends the work. Returns whether the work ended a manager's transaction, or made it impossible to find out. */
    boolean isEndedByWork() {
        lent.endWork();
        if (!lent.isEndedForManager() && !lent.isBlocked()) {
            return false;
        }
        commit = Commit.REFUSED;
        return true;
    }

    /** Ends a transaction whose body has returned. */
    void bodyReturned() {
        if (failed != null) {
            throw new IllegalStateException("The commit failed, although the body returned.", failed);
        }
        if (commit == Commit.REFUSED) {
            lent.rollback(new IllegalStateException("The last step was refused, although the body returned."));
        } else if (commit != Commit.ANSWERED) {
            if (isEndedByWork()) {
                throw new StoreException(
                        "The transaction was ended, or a COPY was left open, before the library committed it",
                        Fault.STATEMENT_REFUSED,
                        null);
            }
            LastStep.Result unused = commit(Ending.after(() -> true, lent), LastStep.Result.ENDED);
        }
    }

    /**
     * Sends the last step and the commit. Returns {@code otherwise} if the step was rejected, in which case nothing is
     * committed.
     */
    LastStep.Result commit(Ending ending, LastStep.Result otherwise) {
        if (failed != null || commit != Commit.OPEN) {
            throw new IllegalStateException("The transaction already has its last step.");
        }
        if (!ending.prepare()) {
            commit = Commit.REFUSED;
            return otherwise;
        }
        requireCommittable();
        CommitWarning warning;
        try {
            warning = send(ending);
        } catch (RuntimeException | Error thrown) {
            if (thrown instanceof BeforeCommitException) {
                commit = Commit.OPEN;
            } else if (thrown instanceof Error) {
                lent.struckByError();
            }
            failed = thrown;
            lent.rollback(thrown);
            throw thrown;
        }
        if (commit == Commit.REFUSED) {
            return otherwise;
        }
        try {
            lent.committed();
        } catch (RuntimeException | Error thrown) {
            afterCommit = thrown;
        }
        if (warning != null) {
            StoreException inDoubt = StoreFailures.of(
                    "The database returned a warning for the commit", Fault.CONNECTION_LOST, lent.dialect, warning);
            failed = inDoubt;
            throw inDoubt;
        }
        return LastStep.Result.DONE;
    }

    private void requireCommittable() {
        try {
            lent.dialect.requireCommittable(lent.connection);
        } catch (SQLException thrown) {
            throw StoreFailures.of("The transaction cannot be committed", lent.dialect, lent.connection, thrown);
        }
    }

    /** Returns the warning that leaves the commit in doubt, if there was one. */
    private @Nullable CommitWarning send(Ending ending) {
        try {
            lent.connection.clearWarnings();
            commit = Commit.SENT;
            ManagedConnection.Ended ended = ending.commit(lent);
            commit = ended.committed() ? Commit.ANSWERED : Commit.REFUSED;
            afterCommit = ended.afterCommit();
            if (ended.warning() != null) {
                CommitWarning.requireNone(ended.warning(), lent.dialect::isHarmless);
            }
            return null;
        } catch (CommitWarning warning) {
            return warning;
        } catch (SQLException thrown) {
            throw StoreFailures.of(ending.failure(), lent.dialect, lent.connection, thrown);
        }
    }
}
