package io.counterpoint.idempotency.engine;

import static io.counterpoint.idempotency.engine.Waiting.LOCK_WAIT;

import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.engine.Arbitration.Resolved;
import io.counterpoint.idempotency.engine.Run.End;
import io.counterpoint.idempotency.engine.Run.Ending;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.RecordSteps;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What remains to be done once an external effect is known: its follow-up and the mark, in one transaction that begins
 * with the record's lock. Every caller that learns of the effect carries it out: the leader, the completion of
 * asynchronous work, a healing follower, an operator. Because the effect exists, from here on nothing is released,
 * nothing fails and no key is claimed.
 */
final class FollowUp<C, R> extends Leader<C, R> {

    private final R result;
    /** Whether this result is the record's plan. */
    private boolean stored;

    private boolean triedToStore;
    private Protocol protocol;
    private UUID token;

    private FollowUp(Call<C, R> call, Protocol protocol, UUID token, R result, boolean stored) {
        super(call);
        this.protocol = protocol;
        this.token = token;
        this.result = result;
        this.stored = stored;
    }

    /** Carries out the follow-up of the given record. */
    static <C, R> Next<R> carryOut(Call<C, R> call, Pending record, R result, boolean stored) {
        return carryOut(call, record.protocol(), record.token(), result, stored);
    }

    /** Carries out the follow-up of a record under the given protocol and token. */
    static <C, R> Next<R> carryOut(Call<C, R> call, Protocol protocol, UUID token, R result, boolean stored) {
        call.effectIsKnown(result, token);
        return new FollowUp<>(call, protocol, token, result, stored).lead();
    }

    @Override
    Optional<Next<R>> runOnce(int runs) {
        Run<C, R> run = new Run<>(
                call,
                call.settings.userCode().followUp(),
                token,
                Optional.of(result),
                stored ? Ending.MARK_AS_PLANNED : Ending.MARK_IF_STORABLE,
                (same, thrown) -> broken(thrown));
        // A caller other than the leader waits for a running follow-up without a connection.
        Duration wait = call.ownEffect().isPresent() ? LOCK_WAIT : Duration.ZERO;
        End end = run.in(
                null, steps -> steps.lock(call.key, wait).filter(this::isOwed).isPresent());
        return after(run, end, runs);
    }

    /** Checked under the lock: nobody has run the follow-up or learned of a different result. */
    private boolean isOwed(IdempotencyRecord record) {
        return Tokens.isPending(record, token) && record.protocol() == protocol;
    }

    @Override
    Outcome<R> committed(R marked) {
        if (call.ownEffect().isPresent()) {
            return call.executed(marked);
        }
        call.tell(IdempotencyEvent.Healed::new);
        return call.healed(marked);
    }

    @Override
    Optional<Next<R>> rolledBack(Run<C, R> run, int runs) {
        boolean isHeld = !run.hasLed() && call.store.classify(run.thrown()) == Fault.LOCK_TIMEOUT;
        if (isHeld && call.ownEffect().isEmpty()) {
            return Optional.of(new Next.WaitForLeader<>(Optional.empty()));
        }
        if (call.budgetOfFollowUp().isTimeLeft() && !store(run.thrown())) {
            return Optional.of(superseded(run));
        }
        // The store may have taken its time.
        if (run.isFollowedByAnother(
                runs, run.meetsWhatPasses() && call.budgetOfFollowUp().isTimeLeft())) {
            return Optional.empty();
        }
        throw call.owed(run.thrown());
    }

    @Override
    Optional<Next<R>> inDoubt(Run<C, R> run, int runs) {
        Optional<Payload> known = known();
        Resolved resolved;
        try {
            resolved = new Arbitration<>(call)
                    .resolveOwn(
                            run,
                            call.budgetOfFollowUp(),
                            (steps, old, fresh) -> becomesKnown(steps, old, fresh, known),
                            call::recordGone);
        } catch (OutcomeUnknownException unresolved) {
            throw unresolved.reason() == Reason.RECORD_GONE ? unresolved : call.owed(run.thrown());
        }
        if (resolved.end() == End.ROLLED_BACK) {
            isKnownUnder(resolved.token(), known);
            return rolledBack(run, runs);
        }
        return Optional.of(
                resolved.end() == End.COMMITTED ? new Next.Answer<>(committed(run.result())) : superseded(run));
    }

    /**
     * Stores the known effect before the first retry, waiting for the record's lock if another caller holds it. From
     * then on, no lookup is needed and the attempt cannot be marked as failed. If it cannot be stored, the next call
     * runs the lookup.
     *
     * @return false if another caller has changed the record, and may have run the follow-up
     */
    private boolean store(Throwable thrown) {
        if (protocol != Protocol.EXTERNAL_THEN || triedToStore) {
            return true;
        }
        triedToStore = true;
        Optional<Payload> known = known();
        UUID fresh = call.tokens.fresh();
        try {
            boolean isStored = new DurableChange<>(call, call.budgetOfFollowUp())
                    .make(
                            steps -> becomesKnown(steps, token, fresh, known),
                            DurableChange.confirming(record -> Tokens.isPending(record, fresh)));
            if (isStored) {
                isKnownUnder(fresh, known);
            }
            return isStored;
        } catch (RuntimeException | Error unstored) {
            Exceptions.suppress(thrown, unstored);
            return true;
        }
    }

    /** The encoded result, unless it is already stored. */
    private Optional<Payload> known() {
        return stored ? Optional.empty() : call.settings.payloads().encodeIfPossible(call.key, result);
    }

    private boolean becomesKnown(RecordSteps steps, UUID old, UUID fresh, Optional<Payload> known) {
        return steps.changeProtocol(call.key, old, fresh, Protocol.FOLLOW_UP_OWED, known);
    }

    private void isKnownUnder(UUID fresh, Optional<Payload> known) {
        protocol = Protocol.FOLLOW_UP_OWED;
        token = fresh;
        stored |= known.isPresent();
    }

    private OutcomeUnknownException broken(@Nullable Throwable thrown) {
        return new WaitForOperator<>(call).leaveToOperator(token, known(), thrown);
    }
}
