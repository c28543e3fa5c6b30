package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.LastStep;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The one commit of a transaction, alone or with its last step in the same message. */
final class TransactionEnd {

    final LentConnection lent;
    private final Dialect dialect;
    private final Connection connection;
    private boolean mayBeSent;
    private boolean refused;
    private boolean over;

    /** Why the commit failed. */
    private @Nullable Throwable failed;

    /** What callbacks threw after the commit. */
    private @Nullable Throwable afterCommit;

    TransactionEnd(LentConnection lent) {
        this.lent = lent;
        this.dialect = lent.dialect;
        this.connection = lent.connection;
    }

    /** Whether nothing may follow: the commit was answered, or it failed. */
    boolean isOver() {
        return over;
    }

    boolean mayBeSent() {
        return mayBeSent;
    }

    Optional<Throwable> afterCommitFailure() {
        return Optional.ofNullable(afterCommit);
    }

    /** Ends a transaction whose body has returned. */
    void bodyReturned() {
        if (failed != null) {
            throw new IllegalStateException("The commit has failed, and the body returned.", failed);
        }
        if (refused) {
            lent.rollback(new IllegalStateException("The last step was refused, and the body returned."));
        } else if (!over) {
            commitAlone();
        }
    }

    /** Commits what has sent its last step before, or has none. */
    void commitAlone() {
        boolean unused = commit(Optional.empty(), () -> "Could not commit");
    }

    /**
     * Commits with a last step.
     *
     * @param step sends both, and returns false if the database has refused the step, and so the commit
     * @param otherwise the answer then
     * @param doing what its failure is called in messages; made where it fails, since a key's name is a digest
     */
    LastStep.Result commitWith(Sql.Step<Boolean> step, LastStep.Result otherwise, Supplier<String> doing) {
        return commit(Optional.of(step), doing) ? LastStep.Result.DONE : otherwise;
    }

    /** Commits if the last step was done before, and nothing otherwise. */
    LastStep.Result commitIf(boolean done, LastStep.Result otherwise) {
        if (!done) {
            refused = true;
            return otherwise;
        }
        commitAlone();
        return LastStep.Result.DONE;
    }

    private boolean commit(Optional<Sql.Step<Boolean>> step, Supplier<String> doing) {
        if (over || refused) {
            throw new IllegalStateException("The transaction has its last step already.");
        }
        lent.endWork();
        requireCommittable();
        SQLException warned;
        try {
            connection.clearWarnings();
            mayBeSent = true;
            warned = send(step);
        } catch (SQLException thrown) {
            StoreException unanswered = lent.watched(() -> StoreException.of(doing.get(), dialect, connection, thrown));
            throw failed(unanswered, unanswered);
        } catch (RuntimeException thrown) {
            throw failed(thrown, thrown);
        } catch (Error thrown) {
            lent.struckByError();
            throw failed(thrown, thrown);
        }
        if (refused) {
            mayBeSent = false;
            return false;
        }
        over = true;
        try {
            lent.borrowed.committed();
        } catch (RuntimeException | Error thrown) {
            afterCommit = thrown;
        }
        if (warned != null) {
            StoreException inDoubt = StoreException.of(
                    "The database answered the commit with a warning", Fault.CONNECTION_LOST, dialect, warned);
            failed = inDoubt;
            throw inDoubt;
        }
        return true;
    }

    private <X extends Throwable> X failed(X thrown, Throwable because) {
        over = true;
        failed = because;
        lent.rollback(because);
        return thrown;
    }

    private void requireCommittable() {
        try {
            dialect.requireCommittable(connection);
        } catch (SQLException thrown) {
            throw StoreException.of("The transaction cannot be committed", dialect, connection, thrown);
        }
    }

    /**
     * Commits. PostgreSQL warns where it gave up waiting for its standby: the commit may be lost with this server.
     *
     * @return the warning, if there was one
     */
    private @Nullable SQLException send(Optional<Sql.Step<Boolean>> step) throws SQLException {
        if (step.isEmpty()) {
            connection.commit();
            return answered(connection::getWarnings);
        }
        try {
            refused = !step.get().run();
        } catch (CommitWarning warning) {
            return warning;
        }
        return refused
                ? null
                // Sends nothing, but pools keep books.
                : answered(() -> {
                    connection.commit();
                    return null;
                });
    }

    /** A failure after the answer to the commit says nothing of the commit. */
    private @Nullable SQLException answered(Sql.Step<@Nullable SQLException> step) {
        try {
            return step.run();
        } catch (SQLException thrown) {
            throw StoreException.of(
                    "The commit was answered, and then the connection failed", Fault.CONNECTION_LOST, dialect, thrown);
        }
    }
}
