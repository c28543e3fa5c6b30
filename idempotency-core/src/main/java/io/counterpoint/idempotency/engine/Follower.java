package io.counterpoint.idempotency.engine;

import static io.counterpoint.idempotency.engine.Waiting.LOCK_WAIT;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.UndecodableException;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import java.util.Optional;

/**
 * A call whose key has a record: it compares fingerprints, replays, rejects, heals, or finds that it is itself the
 * leader.
 */
final class Follower<C, R> {

    private final Call<C, R> call;

    Follower(Call<C, R> call) {
        this.call = call;
    }

    Next<R> follow(IdempotencyRecord found) {
        boolean confirms = isToBeConfirmed(found);
        Optional<IdempotencyRecord> certain;
        try {
            certain = confirms ? confirmed() : durable(found);
        } catch (RuntimeException | Error thrown) {
            call.requireNoMisuse(thrown);
            return new Next.RetryAfterPause<>(thrown);
        }
        if (certain.isEmpty()) {
            return new Next.RetryNow<>();
        }
        IdempotencyRecord record = certain.get();
        call.doubt.met(record, call.tokens.isOwn(record), confirms);
        return followCertain(record);
    }

    /** Whether the record may stem from a commit of this process, made by this call or by one that has ended. */
    private boolean isToBeConfirmed(IdempotencyRecord found) {
        if ((call.knowsEffect() || call.knowsRefusal) && Tokens.isTerminal(found)) {
            // This call returns what another has committed, which a promoted standby may lack.
            return true;
        }
        if (call.doubt.exists()) {
            return call.doubt.demandsConfirmation(found, call.tokens.isOwn(found), call.request.matches(found));
        }
        return Tokens.isTerminal(found)
                && call.settings.environment().unfinished().contains(call.key, found.token());
    }

    /** Returns the record under its lock, after a write, because a promoted standby may lack what a read has shown. */
    private Optional<IdempotencyRecord> confirmed() {
        return call.inTransaction(
                steps -> steps.lock(call.key, LOCK_WAIT).filter(record -> steps.confirm(call.key, record.token())));
    }

    private Next<R> followCertain(IdempotencyRecord record) {
        call.probablyRecorded = true;
        boolean own = call.tokens.isOwn(record);
        // Rule 7: comes before anything else that is done with the record.
        if (!own && !call.request.matches(record)) {
            return new Next.Answer<>(call.keyReused());
        }
        return record.fold(
                pending -> own && !call.knowsEffect() ? leadOwn(pending) : followPending(pending),
                succeeded -> own ? succeededOwn(succeeded) : replay(succeeded),
                failed -> new Next.Answer<>(call.rejected(failed.failure())));
    }

    /**
     * A single transaction of this call is committed. If no commit was in doubt, none was sent: the work threw, and yet
     * its claim is committed.
     */
    private Next<R> succeededOwn(Succeeded succeeded) {
        Optional<R> inDoubt = call.doubt.resultOf(succeeded.token());
        if (inDoubt.isPresent()) {
            return new Next.Answer<>(call.executed(inDoubt.get()));
        }
        if (succeeded.protocol() == Protocol.SINGLE_TRANSACTION) {
            throw call.endedByWork(call.suppressedFailure.orElse(null));
        }
        return replay(succeeded);
    }

    /**
     * Returns the outcome of a record for a caller that does not act on it, such as one that is no longer its leader.
     * As with any other outcome, the record has to match the request and be durable.
     */
    Outcome<R> tell(IdempotencyRecord record) {
        if (!call.request.matches(record)) {
            return call.keyReused();
        }
        return durable(record)
                .orElseThrow()
                .fold(
                        pending -> call.inProgress(Optional.of(pending)),
                        succeeded -> call.replayed(resultOf(succeeded)),
                        failed -> call.rejected(failed.failure()));
    }

    /** Returns the stored result of a committed effect, or else the result from the domain. */
    private R resultOf(Succeeded succeeded) {
        try {
            return call.settings.payloads().decodeResult(call.key, succeeded);
        } catch (UndecodableException unreadable) {
            return call.settings
                    .userCode()
                    .find(call, call.settings.payloads().asked(call.key, succeeded))
                    .asOptional()
                    .orElseThrow(() -> unreadable);
        }
    }

    /** Returns a record that was read and that no write of this call has confirmed, once it is durable. */
    private Optional<IdempotencyRecord> durable(IdempotencyRecord read) {
        if (Tokens.isTerminal(read)) {
            call.store.awaitDurable(call.key);
        }
        return Optional.of(read);
    }

    /**
     * Without a result, reads the record again: it may have been purged in the meantime, and a promoted standby may
     * lack what was read.
     */
    private Next<R> replay(Succeeded succeeded) {
        try {
            return new Next.Answer<>(call.replayed(resultOf(succeeded)));
        } catch (UndecodableException unreadable) {
            Optional<IdempotencyRecord> now;
            try {
                now = call.read();
            } catch (RuntimeException | Error unread) {
                Exceptions.suppress(unread, unreadable);
                return new Next.RetryAfterPause<>(unread);
            }
            if (now.filter(succeeded::equals).isPresent()) {
                throw unreadable;
            }
            return new Next.RetryNow<>();
        }
    }

    /**
     * Rule 13: a claim or takeover of this call arrived although its reply was lost. The work has not begun. A single
     * transaction never commits such a record itself, so its work must have committed it.
     */
    private Next<R> leadOwn(Pending pending) {
        if (pending.protocol() == Protocol.SINGLE_TRANSACTION) {
            throw call.endedByWork(call.suppressedFailure.orElse(null));
        }
        Optional<R> storedPlan = call.decodePlan(pending);
        if (call.doubt.recordMayBePurged()) {
            throw call.purgedInDoubt();
        }
        Claims.committed(call);
        return new Next.Lead<>(pending.protocol(), pending.token(), storedPlan);
    }

    /**
     * Heals if the effect is found. Rule 6: if it is not, that proves nothing. Then arbitrates if the leader seems
     * dead; otherwise the leader may be at work.
     */
    private Next<R> followPending(Pending pending) {
        if (pending.protocol().owesFollowUp()) {
            return followOwed(pending);
        }
        if (call.knowsEffect()) {
            throw call.recordGone();
        }
        Optional<UndecodableException> unreadable = Optional.empty();
        if (call.settings.userCode().hasLookUp()) {
            try {
                Optional<R> planned = call.decodePlan(pending);
                Lookup<R> looked = call.settings.userCode().find(call, planned);
                if (looked instanceof Lookup.Found<R> found) {
                    return heal(pending, planned, found.result());
                }
                if (looked instanceof Lookup.Refused<R> refused
                        && pending.protocol().isExternal()) {
                    return refuse(pending, refused.failure());
                }
            } catch (UndecodableException plan) {
                unreadable = Optional.of(plan);
            }
        }
        Arbitration<C, R> arbitration = new Arbitration<>(call);
        boolean unfinished = arbitration.isUnfinished(pending);
        if (unfinished || arbitration.isAbandoned(pending)) {
            return arbitration.arbitrate(pending, unfinished);
        }
        if (unreadable.isPresent()) {
            throw unreadable.get();
        }
        return new Next.WaitForLeader<>(Optional.of(pending));
    }

    /** The follow-up is a property of the record: an operation without one neither settles nor heals it. */
    private Next<R> followOwed(Pending pending) {
        if (!call.settings.userCode().hasFollowUp()) {
            throw new OutcomeUnknownException(Reason.FOLLOW_UP_MISSING, call.key, null);
        }
        if (pending.protocol() == Protocol.FOLLOW_UP_BROKEN) {
            throw new OutcomeUnknownException(
                    Reason.ENDED_BY_WORK,
                    call.key,
                    "the request took effect, and part of its follow-up may be committed; only an operator can settle"
                            + " the attempt",
                    null);
        }
        boolean known = pending.protocol() == Protocol.FOLLOW_UP_OWED;
        Optional<R> planned = call.decodePlan(pending);
        Optional<R> stored = planned.filter(call.settings.payloads()::isResult);
        if (known && stored.isPresent()) {
            return FollowUp.carryOut(call, pending, stored.get(), true);
        }
        if (!known && call.knowsEffectOfAnother(pending.token())) {
            throw call.recordGone();
        }
        Lookup<R> looked = call.ownEffect()
                .map(Lookup::found)
                .orElseGet(() -> call.settings.userCode().find(call, planned));
        if (looked instanceof Lookup.Found<R> found) {
            return FollowUp.carryOut(call, pending, stored.orElse(found.result()), stored.isPresent());
        }
        if (known) {
            throw call.owed(null);
        }
        return looked instanceof Lookup.Refused<R> refused
                ? refuse(pending, refused.failure())
                : new Next.WaitForLeader<>(Optional.of(pending));
    }

    /** The other side remembers a refusal under the key, so no request under it will ever have an effect. */
    private Next<R> refuse(Pending pending, Failure failure) {
        boolean recorded;
        try {
            recorded = new DurableChange<>(call)
                    .make(
                            steps -> steps.fail(call.key, pending.token(), failure),
                            DurableChange.confirming(pending.failed(failure)::equals));
        } catch (RuntimeException | Error thrown) {
            return new Next.RetryAfterPause<>(thrown);
        }
        if (!recorded) {
            call.knowsRefusal = true;
            return new Next.RetryNow<>();
        }
        call.tell(details -> new IdempotencyEvent.Failed(details, failure));
        return new Next.Answer<>(call.rejected(failure));
    }

    /** Reads the record again, for a call that may not claim. */
    Next<R> lookAgain() {
        Optional<IdempotencyRecord> record;
        try {
            record = call.read();
        } catch (RuntimeException | Error unread) {
            return new Next.RetryAfterPause<>(unread);
        }
        if (record.isEmpty() && call.knowsEffect()) {
            throw call.recordGone();
        }
        return record.<Next<R>>map(Next.Follow::new)
                .orElseGet(() -> new Next.Answer<>(call.inProgress(Optional.empty())));
    }

    /**
     * The record that was read may belong to a leader that has released its key, and the effect to the next one. A plan
     * is therefore returned only once the record is written, and a found result only if it equals that plan.
     */
    private Next<R> heal(Pending pending, Optional<R> planned, R found) {
        Payloads<R> payloads = call.settings.payloads();
        Optional<R> stands = planned.filter(unused -> payloads.planIsResult());
        Optional<Payload> payload = stands.isPresent() ? Optional.empty() : payloads.encodeIfPossible(call.key, found);
        Optional<IdempotencyRecord> now;
        try {
            if (call.autoCommit(steps -> steps.succeed(call.key, pending.token(), payload))) {
                call.tell(IdempotencyEvent.Healed::new);
                return new Next.Answer<>(call.healed(stands.orElse(found)));
            }
            now = call.read();
        } catch (RuntimeException | Error thrown) {
            if (call.settings.protocol().isExternal() && isOf(pending, stands, found)) {
                // The effect exists even if the record is not updated: the next call heals.
                return new Next.Answer<>(call.healed(found));
            }
            // The lookup may have seen something that is rolled back. The record's state decides, once it can be
            // written.
            return new Next.RetryAfterPause<>(thrown);
        }
        if (now.isEmpty()) {
            // Ended and purged in the meantime: another claim would lead and cause a second effect.
            return new Next.Answer<>(call.healed(found));
        }
        if (now.get() instanceof Failed && call.settings.protocol().isExternal()) {
            requireNoEffect(planned);
        }
        return now.get() instanceof Pending ? new Next.RetryNow<>() : new Next.Follow<>(now.get());
    }

    /** The leader may have reverted what the first lookup saw before it declared that there is no effect. */
    private void requireNoEffect(Optional<R> planned) {
        Optional<R> found;
        try {
            found = call.settings.userCode().find(call, planned).asOptional();
        } catch (OutcomeUnknownException unanswered) {
            throw call.failedWithEffect(unanswered);
        }
        if (found.isPresent()) {
            throw call.failedWithEffect(null);
        }
    }

    private boolean isOf(Pending pending, Optional<R> planned, R found) {
        return planned.isEmpty()
                || planned.get().equals(found)
                || call.settings.payloads().encodeIfPossible(call.key, found).equals(pending.plan());
    }
}
