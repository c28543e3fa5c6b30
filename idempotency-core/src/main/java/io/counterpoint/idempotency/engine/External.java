package io.counterpoint.idempotency.engine;

import static io.counterpoint.idempotency.engine.Waiting.LOCK_WAIT;

import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.engine.Exceptions.Carried;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.Session;
import java.util.Optional;
import java.util.UUID;

/**
 * EXTERNAL and EXTERNAL_THEN: the claim is committed, then the external effect happens, then the record is marked. No
 * session is open in the meantime. A failure after the work began proves nothing unless it is declared to.
 */
final class External<C, R> {

    private final Call<C, R> call;

    External(Call<C, R> call) {
        this.call = call;
    }

    Next<R> claim() {
        UUID token = call.tokens.fresh();
        Pending pending = Claims.pending(call, call.settings.protocol(), token);
        Optional<IdempotencyRecord> found;
        try (Session<C> session = Claims.open(call, call.waiting.leftForClaim())) {
            try {
                found = Claims.claim(
                        call,
                        session,
                        () -> session.autoCommit(steps ->
                                // Rule 14: an effect elsewhere outlives a lost claim.
                                steps.claim(pending, call.settings.retention(), LOCK_WAIT, Durability.DURABLE)));
            } catch (RuntimeException | Error thrown) {
                return Claims.failedAlone(call, thrown);
            }
        }
        if (found.isPresent()) {
            return new Next.Follow<>(found.get());
        }
        Claims.committed(call);
        return new Next.Lead<>(call.settings.protocol(), token, call.plan);
    }

    /** Causes the effect or starts it. */
    Next<R> lead(Next.Lead<R> lead) {
        call.doubt.leads();
        R result;
        try {
            call.runsOutside++;
            result = UserCode.run(
                    call,
                    call.work,
                    UserCode.noHandle(call.key),
                    lead.storedPlan().or(() -> call.plan));
        } catch (EndsLater begun) {
            return new Next.Started<>(lead.protocol(), lead.token());
        } catch (RuntimeException | Error caught) {
            return failed(lead.token(), Carried.in(caught));
        }
        boolean planStands = lead.storedPlan().isPresent()
                && call.plan.isPresent()
                && call.settings.payloads().planIsResult();
        return succeeded(lead.protocol(), lead.token(), result, planStands);
    }

    Next<R> failed(UUID token, Throwable thrown) {
        if (!(thrown instanceof UserCode.WithoutResult)
                && call.settings.userCode().provesNoEffect(thrown)) {
            return new DurableFailure<>(call).failClaimed(token, thrown);
        }
        call.tell(IdempotencyEvent.CommitUnknown::new, thrown);
        throw new OutcomeUnknownException(Reason.EXTERNAL_FAILED, call.key, thrown);
    }

    /** Records that the effect exists. */
    Next<R> succeeded(Protocol protocol, UUID token, R result, boolean planStands) {
        return protocol.owesFollowUp()
                ? FollowUp.carryOut(call, protocol, token, result, planStands)
                : new Next.Answer<>(marked(token, result, planStands));
    }

    private Outcome<R> marked(UUID token, R result, boolean planStands) {
        Optional<Payload> payload =
                planStands ? Optional.empty() : call.settings.payloads().encodeIfPossible(call.key, result);
        try {
            if (!new DurableChange<>(call)
                    .make(
                            steps -> steps.succeed(call.key, token, payload),
                            DurableChange.confirming(record -> Tokens.isSucceeded(record, token)))) {
                return toldByAnother(result);
            }
        } catch (RuntimeException | Error thrown) {
            // The effect exists even if the mark fails: the next call heals.
            return new Outcome.Executed<>(call.key, result);
        }
        return call.executed(result);
    }

    /**
     * Handles a record that is no longer this leader's. A result that another call has stored for this request is final
     * for every caller. A record that denies this effect is reported to the listener, and one that is gone to the
     * caller.
     */
    private Outcome<R> toldByAnother(R result) {
        Outcome<R> own = new Outcome.Executed<>(call.key, result);
        Optional<Outcome<R>> told = call.read().map(new Follower<>(call)::tell);
        if (told.isEmpty() || told.get() instanceof Outcome.KeyReused) {
            return own.withSuppressedFailure(call.recordGone());
        }
        return told.get()
                .fold(
                        completed -> new Outcome.Executed<>(call.key, completed.result()),
                        inProgress -> own,
                        rejected -> {
                            OutcomeUnknownException unused = call.failedWithEffect(null);
                            return own;
                        },
                        keyReused -> own);
    }

    /** The work of a leader has begun and completes later. */
    static final class EndsLater extends RuntimeException {
        private static final long serialVersionUID = 1L;

        EndsLater() {
            super("The work ends later.", null, false, false);
        }
    }
}
