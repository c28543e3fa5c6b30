package io.counterpoint.idempotency.engine;

import static io.counterpoint.idempotency.engine.Waiting.LOCK_WAIT;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.RecordSteps;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** Makes the failure of an attempt durable, after proof that nothing was committed. */
final class DurableFailure<C, R> {

    private final Call<C, R> call;
    private final DurableChange<C, R> change;

    DurableFailure(Call<C, R> call) {
        this.call = call;
        this.change = new DurableChange<>(call);
    }

    /** The committed claim becomes {@code Failed}, or is released. */
    Next<R> failClaimed(UUID token, Throwable thrown) {
        boolean releases = call.releases(thrown);
        if (releases && call.locks().mayReleaseAgain()) {
            Predicate<RecordSteps> release = steps -> steps.release(call.key, token);
            return makeDurable(
                    thrown,
                    () -> call.autoCommit(release::test),
                    release,
                    (steps, locked) -> locked.isEmpty() && isAbsent(steps),
                    releases,
                    Optional.empty());
        }
        Failure failure = call.settings.userCode().describe(call.store, thrown);
        Predicate<RecordSteps> fail = steps -> steps.fail(call.key, token, failure);
        return makeDurable(
                thrown,
                () -> call.autoCommit(steps -> releases ? steps.release(call.key, token) : fail.test(steps)),
                releases ? fail.or(steps -> insertsFailed(steps, token, failure)) : fail,
                DurableChange.confirming(record -> Tokens.isFailed(record, token)),
                releases,
                Optional.of(failure));
    }

    /**
     * The same, when the claim was rolled back with the work. A retry that leads in this gap is legal. Beside local locks the
     * claim has waited for nobody, so a write has to show that there is no record.
     */
    Next<R> failUnclaimed(UUID token, Throwable thrown) {
        boolean releases = call.releases(thrown);
        if (releases) {
            Optional<IdempotencyRecord> record = recordAfter(thrown);
            if (record.isPresent()) {
                // Another call's, or one that this call's work has committed.
                call.suppressedFailure = Optional.of(thrown);
                return new Next.Follow<>(record.get());
            }
        }
        if (releases && call.locks().isReleasedByRollback()) {
            call.tell(IdempotencyEvent.Released::new);
            throw call.endWith(thrown, Optional.empty());
        }
        Failure failure = call.settings.userCode().describe(call.store, thrown);
        Predicate<RecordSteps> insert = steps -> insertsFailed(steps, token, failure);
        return makeDurable(
                thrown,
                () -> releases ? call.inTransaction(this::isAbsent) : call.autoCommit(insert::test),
                insert,
                DurableChange.confirming(record -> Tokens.isFailed(record, token)),
                releases,
                Optional.of(failure));
    }

    /** The record, before a release is reported that writes nothing. */
    private Optional<IdempotencyRecord> recordAfter(Throwable thrown) {
        try {
            return Budget.toSettle(call.waiting, call.settings.settleWithin()).untilAnswered(call::read, unread -> {
                Exceptions.suppress(thrown, unread);
                return true;
            });
        } catch (RuntimeException | Error unread) {
            throw new OutcomeUnknownException(Reason.FAILURE_UNRECORDED, call.key, thrown);
        }
    }

    private boolean insertsFailed(RecordSteps steps, UUID token, Failure failure) {
        Failed failed = new Failed(call.key, Protocol.SINGLE_TRANSACTION, token, call.request.fingerprint(), failure);
        return steps.claim(failed, call.settings.retention(), LOCK_WAIT, Durability.DURABLE)
                .isEmpty();
    }

    /**
     * Rule 5: makes a failure durable, and only then throws the same object. When the record is no longer this leader's, the call
     * looks again as a follower, with that object attached. What is tried again may differ. Beside local locks, if the
     * answer to a release is lost, {@code Failed} is written instead. That record keeps a late COMMIT from taking effect.
     */
    private Next<R> makeDurable(
            Throwable thrown,
            BooleanSupplier first,
            Predicate<RecordSteps> again,
            DurableChange.Confirmation confirmation,
            boolean releases,
            Optional<Failure> failure) {
        boolean recorded;
        try {
            recorded = change.make(first, again, confirmation);
        } catch (RuntimeException | Error unrecorded) {
            Exceptions.suppress(thrown, unrecorded);
            throw new OutcomeUnknownException(Reason.FAILURE_UNRECORDED, call.key, thrown);
        }
        if (!recorded) {
            call.suppressedFailure = Optional.of(thrown);
            call.knowsRefusal |= call.settings.protocol().owesFollowUp();
            return new Next.RetryNow<>();
        }
        Optional<Failure> stored = failure.filter(unused -> !releases || change.wasTriedAgain());
        call.tell(details -> stored.<IdempotencyEvent>map(why -> new IdempotencyEvent.Failed(details, why))
                .orElseGet(() -> new IdempotencyEvent.Released(details)));
        throw call.endWith(thrown, stored);
    }

    /** Confirms that a record is gone, by a record that is inserted and removed again. */
    private boolean isAbsent(RecordSteps steps) {
        UUID token = call.tokens.fresh();
        Pending probe = new Pending(
                call.key, call.settings.protocol(), token, call.request.fingerprint(), Optional.empty(), Duration.ZERO);
        return steps.claim(probe, call.settings.retention(), LOCK_WAIT, Durability.DURABLE)
                        .isEmpty()
                && steps.release(call.key, token);
    }
}
