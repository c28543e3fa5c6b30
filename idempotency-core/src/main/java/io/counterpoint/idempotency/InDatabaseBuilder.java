package io.counterpoint.idempotency;

import io.counterpoint.idempotency.engine.OperationSettings.Abandoned;
import java.time.Duration;

/**
 * The settings of operations in the store's own database that concern abandoned keys.
 *
 * @param <C> the handle
 * @param <R> the result
 */
public abstract sealed class InDatabaseBuilder<C, R> extends OperationBuilder<R, Operation.Builder<C, R>>
        permits Operation.Builder {

    /** What a run costs a call beside its work, at most: the pause before it and the wait for a rival's record. */
    private static final Duration BESIDE_THE_WORK = Duration.ofSeconds(2);

    private final OperationOptions<C, R> options;
    private boolean abandonedSet;

    InDatabaseBuilder(OperationOptions<C, R> options) {
        super(options);
        this.options = options;
    }

    /**
     * Lets a follower end an abandoned attempt: proven uncommitted under the record's lock, it becomes {@code Failed} with
     * the code {@link Failure#ABANDONED}. This is the default, after 1 minute.
     *
     * @param grace how long ago a leader's last change may be before a follower checks whether the leader still holds the
     *     record's lock; longer than the pause before a further run (at most 1 s) and the wait for a connection together.
     *     Too short costs work, never safety
     * @return this
     * @throws IllegalArgumentException if not positive, or if abandoned keys were decided before
     */
    public Operation.Builder<C, R> failAbandonedAfter(Duration grace) {
        return abandoned(Abandoned.FAIL, grace);
    }

    /**
     * Lets a follower take an abandoned attempt over: proven uncommitted under the record's lock, it gets a fresh token
     * and the follower runs its own work, with the stored plan.
     *
     * @param grace as for {@link #failAbandonedAfter}
     * @return this
     * @throws IllegalArgumentException if not positive, or if abandoned keys were decided before
     */
    public Operation.Builder<C, R> takeOverAbandonedAfter(Duration grace) {
        return abandoned(Abandoned.TAKE_OVER, grace);
    }

    /**
     * Leaves abandoned attempts {@code Pending} for ever, unless a lookup heals them.
     *
     * @return this
     * @throws IllegalArgumentException if abandoned keys were decided before
     */
    public Operation.Builder<C, R> leaveAbandoned() {
        return abandoned(Abandoned.LEAVE, options.grace);
    }

    private Operation.Builder<C, R> abandoned(Abandoned abandoned, Duration grace) {
        if (abandonedSet) {
            throw options.refused("abandoned keys were decided before; fail, take over or leave");
        }
        options.grace = options.positive("the grace period", grace, OperationOptions.LONGEST);
        options.abandoned = abandoned;
        abandonedSet = true;
        return self();
    }

    /** Refuses what does not go together with a record that is inserted last. */
    void requireFitForRecordLast(boolean otherProtocol, Duration wait) {
        if (otherProtocol) {
            throw options.refused("choose recordLast() or singleTransaction(), not both");
        }
        if (options.lookUp != null) {
            throw options.refused("recordLast() has no use for a lookup, since its record commits with the effect;"
                    + " leave the lookup out");
        }
        Duration known = wait.plus(options.settle).plus(BESIDE_THE_WORK.multipliedBy(options.retries + 1L));
        if (options.retention.compareTo(known) <= 0) {
            throw options.refused(
                    "recordLast() needs a retention longer than the longest call, or a late COMMIT doubles"
                            + " an effect whose record is purged. Without its work a call may take " + known
                            + ", found "
                            + options.retention);
        }
        if (!options.store().keepsEveryInsert()) {
            throw options.refused("recordLast() needs a table of which the store knows that nothing can leave out an"
                    + " inserted record. A JDBC store knows it where its table is named with its schema, as in"
                    + " withTable(\"public.idempotency_record\"), and after checkTable(); do both before this. Found "
                    + options.store());
        }
    }
}
