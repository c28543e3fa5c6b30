package io.counterpoint.idempotency.consistency.transition;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.transition.Transition.Moved;
import io.counterpoint.idempotency.jdbc.Isolation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/** Finds abandoned rows and gives them new owners; part of {@link StatusTransitions}. */
abstract sealed class Recovery<S extends Enum<S>> permits StatusTransitions {

    final StatusTable<S> rows;

    Recovery(StatusTable<S> rows) {
        this.rows = rows;
    }

    /**
     * Gives a row a new owner. The old one can no longer move it. The row's age restarts.
     *
     * @param handle the caller's transaction
     * @param held the row under its old owner
     * @return {@link Moved} with the new owner; {@link Transition.Refused} if the row has moved or been taken over
     */
    public abstract Transition<S> takeOver(Handle handle, Ownership<S> held);

    /**
     * Returns the rows that have been in an intermediate state for too long, oldest first. Their owners are gone or
     * slow.
     *
     * @param handle a handle
     * @param olderThan the age at which a row counts as abandoned; longer than the work takes
     * @param limit the maximum number of rows
     * @return the rows, including those without an owner or a time
     */
    public List<Ownership<S>> abandoned(Handle handle, Duration olderThan, int limit) {
        return abandoned(handle, rows.owned(), olderThan, limit);
    }

    private List<Ownership<S>> abandoned(Handle handle, Set<S> states, Duration olderThan, int limit) {
        if (olderThan.isNegative() || limit < 1) {
            throw new IllegalArgumentException(
                    "Abandoned rows need a non-negative age and a limit of at least 1, found " + olderThan + " and "
                            + limit + ".");
        }
        return rows.abandoned(handle, states, olderThan, limit);
    }

    /**
     * Takes over the abandoned rows, each in its own transaction, and passes them on. A failing row delays no other:
     * its age restarts, so it is found again behind the rows that are older by then.
     *
     * @param transactions runs the takeovers
     * @param olderThan as in {@link #abandoned}
     * @param limit the maximum number of rows to take over in this call
     * @param finish completes or compensates, in its own transactions
     * @return the number of rows taken over and passed on
     * @throws RuntimeException the first failure of {@code finish}, after all rows were tried; the others are
     *     suppressed in it
     */
    public int resume(Transactions transactions, Duration olderThan, int limit, Consumer<? super Ownership<S>> finish) {
        List<RuntimeException> failures = new ArrayList<>();
        int resumed = resume(transactions, olderThan, limit, finish, (held, failure) -> failures.add(failure));
        if (!failures.isEmpty()) {
            RuntimeException first = failures.get(0);
            failures.stream().filter(failure -> failure != first).forEach(first::addSuppressed);
            throw first;
        }
        return resumed;
    }

    /**
     * Does the same and reports each failure.
     *
     * @param transactions runs the takeovers
     * @param olderThan as in {@link #abandoned}
     * @param limit the maximum number of rows to take over in this call
     * @param finish completes or compensates, in its own transactions
     * @param onFailure receives each row that could not be taken over or passed on, and why
     * @return the number of rows taken over and passed on
     */
    public int resume(
            Transactions transactions,
            Duration olderThan,
            int limit,
            Consumer<? super Ownership<S>> finish,
            BiConsumer<? super Ownership<S>, ? super RuntimeException> onFailure) {
        return resume(transactions, Isolation.READ_COMMITTED, rows.owned(), olderThan, limit, finish, onFailure);
    }

    /** Does the same for rows in these states, with takeovers at this isolation level. */
    int resume(
            Transactions transactions,
            Isolation isolation,
            Set<S> states,
            Duration olderThan,
            int limit,
            Consumer<? super Ownership<S>> finish,
            BiConsumer<? super Ownership<S>, ? super RuntimeException> onFailure) {
        List<Ownership<S>> found =
                transactions.inTransaction(isolation, handle -> abandoned(handle, states, olderThan, limit));
        int resumed = 0;
        for (Ownership<S> held : found) {
            try {
                Transition<S> taken = transactions.inTransaction(isolation, handle -> takeOver(handle, held));
                if (taken instanceof Moved<S> moved) {
                    finish.accept(moved.ownership());
                    resumed++;
                }
            } catch (RuntimeException failure) {
                onFailure.accept(held, failure);
            }
        }
        return resumed;
    }
}
