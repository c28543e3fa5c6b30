package io.counterpoint.idempotency.engine;

import static io.counterpoint.idempotency.engine.Waiting.LOCK_WAIT;

import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.RecordSteps;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * One compare-and-set in its own transaction, retried while its reply is lost. A later try may change nothing because
 * an earlier one succeeded. The change is then confirmed by a write, because a promoted standby may lack what a read
 * would show.
 */
final class DurableChange<C, R> {

    private final Call<C, R> call;
    private final Budget budget;
    private boolean triedAgain;

    DurableChange(Call<C, R> call) {
        this(call, call.toSettle());
    }

    DurableChange(Call<C, R> call, Budget budget) {
        this.call = call;
        this.budget = budget;
    }

    /** Whether a change was retried after its reply was lost. */
    boolean wasTriedAgain() {
        return triedAgain;
    }

    /** {@return whether the change is durable} */
    boolean make(Predicate<RecordSteps> compareAndSet, Confirmation confirmation) {
        return make(() -> call.autoCommit(compareAndSet::test), compareAndSet, confirmation);
    }

    /** Like {@link #make(Predicate, Confirmation)}, with a different first try. */
    boolean make(BooleanSupplier first, Predicate<RecordSteps> again, Confirmation confirmation) {
        boolean made = budget.untilAnswered(
                () -> triedAgain
                        ? call.inTransaction(steps -> makeAgain(steps, again, confirmation))
                        : first.getAsBoolean(),
                this::mayTryAgain);
        if (made) {
            call.doubt.decided();
        }
        return made;
    }

    /** The lock bounds the wait for changes in flight. Only under it can be seen what has arrived. */
    private boolean makeAgain(RecordSteps steps, Predicate<RecordSteps> again, Confirmation confirmation) {
        Optional<IdempotencyRecord> unused = steps.lock(call.key, LOCK_WAIT);
        return again.test(steps) || confirmation.confirms(steps, steps.lock(call.key, LOCK_WAIT));
    }

    private boolean mayTryAgain(Throwable thrown) {
        Fault fault = call.store.classify(thrown);
        if (!fault.provesRollback()) {
            triedAgain = true;
        }
        return fault.isTransient();
    }

    /** Confirms a change whose reply was lost, if the record shows that it arrived. */
    interface Confirmation {
        /** Writes under the record's lock. Returns false if the change did not arrive. */
        boolean confirms(RecordSteps steps, Optional<IdempotencyRecord> locked);
    }

    /** Confirms the change to an existing record. */
    static Confirmation confirming(Predicate<IdempotencyRecord> isDone) {
        return (steps, locked) -> {
            Optional<IdempotencyRecord> done = locked.filter(isDone);
            return done.isPresent()
                    && steps.confirm(done.get().key(), done.get().token());
        };
    }
}
