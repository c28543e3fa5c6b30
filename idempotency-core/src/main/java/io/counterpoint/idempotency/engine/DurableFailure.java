package io.counterpoint.idempotency.engine;

import static io.counterpoint.idempotency.engine.Waiting.LOCK_WAIT;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.RecordSteps;
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

    /** Changes the committed claim to {@code Failed}, or releases it. */
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
     * Does the same after the claim was rolled back with the work. A retry may lead in this gap. With local locks, the
     * claim has waited for nobody, so a write has to prove that there is no record.
     */
    Next<R> failUnclaimed(UUID token, Throwable thrown) {
        boolean releases = call.releases(thrown);
        if (releases) {
            Optional<IdempotencyRecord> record = recordAfter(thrown);
            if (record.isPresent()) {
                // The record of another call, or one that this call's work committed.
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
                () -> releases
                        ? call.inTransaction(this::isAbsent)
                        : call.doubt.hasRunInDoubt() ? call.inTransaction(insert::test) : call.autoCommit(insert::test),
                insert,
                DurableChange.confirming(record -> Tokens.isFailed(record, token)),
                releases,
                Optional.of(failure));
    }

    /** Reads the record before reporting a release that writes nothing. */
    private Optional<IdempotencyRecord> recordAfter(Throwable thrown) {
        try {
            return call.toSettle().untilAnswered(call::read, unread -> {
                Exceptions.suppress(thrown, unread);
                return true;
            });
        } catch (RuntimeException | Error unread) {
            throw new OutcomeUnknownException(Reason.FAILURE_UNRECORDED, call.key, thrown);
        }
    }

    /**
     * Inserts nothing if the record of a run in doubt may have been purged, because the absence of a record is then no
     * proof.
     */
    private boolean insertsFailed(RecordSteps steps, UUID token, Failure failure) {
        if (call.doubt.hasRunInDoubt()) {
            if (!claims(steps, Claims.pending(call, Protocol.SINGLE_TRANSACTION, token))) {
                return false;
            }
            boolean proven = !call.doubt.recordMayBePurged();
            return (proven ? steps.fail(call.key, token, failure) : steps.release(call.key, token)) && proven;
        }
        Failed failed = new Failed(call.key, Protocol.SINGLE_TRANSACTION, token, call.request.fingerprint(), failure);
        return claims(steps, failed);
    }

    /**
     * Rule 5: makes a failure durable and only then rethrows the exception. If the record is no longer this leader's,
     * the call looks again as a follower, with that exception attached. A retry may write something different: with
     * local locks, if the reply to a release is lost, {@code Failed} is written instead, because that record keeps a
     * late COMMIT from taking effect.
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

    /** Confirms that a record is gone by inserting a record and removing it again. */
    private boolean isAbsent(RecordSteps steps) {
        UUID token = call.tokens.fresh();
        return claims(steps, Claims.pending(call, call.settings.protocol(), token)) && steps.release(call.key, token);
    }

    private boolean claims(RecordSteps steps, IdempotencyRecord record) {
        return steps.claim(record, call.settings.retention(), LOCK_WAIT, Durability.DURABLE)
                .isEmpty();
    }
}
