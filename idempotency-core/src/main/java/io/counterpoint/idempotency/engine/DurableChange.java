package io.counterpoint.idempotency.engine;

import static io.counterpoint.idempotency.engine.Waiting.LOCK_WAIT;

import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.RecordSteps;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * One compare-and-set in a transaction of its own, tried again while its answer is lost. A later try that changes nothing
 * may owe that to an earlier one. Then it is confirmed by a write: a standby that is promoted may lack what a read would
 * show.
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

    /** Whether a change was tried again after an answer was lost. */
    boolean wasTriedAgain() {
        return triedAgain;
    }

    /** {@return whether the change is durable} */
    boolean make(Predicate<RecordSteps> compareAndSet, Confirmation confirmation) {
        return make(() -> call.autoCommit(compareAndSet::test), compareAndSet, confirmation);
    }

    /** The same, with another first try. */
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

    /** Its lock bounds the wait for what is under way. Only then is it seen what has arrived. */
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

    /** Confirms a change whose answer was lost, if the record shows that it arrived. */
    interface Confirmation {
        /** Writes, under the record's lock. Returns false if the change did not arrive. */
        boolean confirms(RecordSteps steps, Optional<IdempotencyRecord> locked);
    }

    /** Confirms the change to a record that is there. */
    static Confirmation confirming(Predicate<IdempotencyRecord> isDone) {
        return (steps, locked) -> {
            Optional<IdempotencyRecord> done = locked.filter(isDone);
            return done.isPresent()
                    && steps.confirm(done.get().key(), done.get().token());
        };
    }
}
