package io.counterpoint.idempotency.engine;

import static io.counterpoint.idempotency.engine.Waiting.LOCK_WAIT;

import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.RecordSteps;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An attempt, part of which may be committed without its record. Running its work again could duplicate the effect, so
 * the key gets a record that nobody runs again: {@code Pending} under {@code EXTERNAL}, which is never arbitrated or
 * taken over. Only a lookup or an operator settles it. A terminal record stays, because other callers may have been
 * answered from it.
 */
final class WaitForOperator<C, R> {

    private final Call<C, R> call;

    WaitForOperator(Call<C, R> call) {
        this.call = call;
    }

    /** Writes the record and creates the exception for the caller. The process forgets this attempt. */
    OutcomeUnknownException leave(Reason reason, String what, @Nullable Throwable cause) {
        call.doubt.attemptEnded();
        OutcomeUnknownException told = told(reason, what, cause, "the work", steps -> Optional.of(left(steps)));
        call.tell(IdempotencyEvent.Unresolved::new, told);
        return told;
    }

    /**
     * Does the same after the follow-up of a known effect ended its transaction: no lookup settles that record either.
     */
    OutcomeUnknownException leaveToOperator(UUID token, Optional<Payload> result, @Nullable Throwable cause) {
        OutcomeUnknownException told = told(
                Reason.ENDED_BY_WORK,
                "the request took effect, but its follow-up ended the transaction it was given, by SQL that the"
                        + " library could not refuse; part of the follow-up may be committed",
                cause,
                "the follow-up",
                steps -> broken(steps, token, result));
        call.tell(IdempotencyEvent.Unresolved::new, told);
        return told;
    }

    private Optional<IdempotencyRecord> broken(RecordSteps steps, UUID token, Optional<Payload> result) {
        Optional<IdempotencyRecord> found = steps.lock(call.key, LOCK_WAIT);
        if (found.isEmpty() || !(found.get() instanceof Pending pending)) {
            return found;
        }
        UUID fresh = call.tokens.fresh();
        if (pending.token().equals(token)
                && steps.changeProtocol(call.key, token, fresh, Protocol.FOLLOW_UP_BROKEN, result)) {
            return Optional.of(pending.ledUnder(Protocol.FOLLOW_UP_BROKEN, fresh, result));
        }
        // An earlier try whose reply was lost may have arrived.
        boolean unused = isOwnPending(pending) && steps.confirm(call.key, pending.token());
        return found;
    }

    private OutcomeUnknownException told(
            Reason reason,
            String what,
            @Nullable Throwable cause,
            String ran,
            Function<RecordSteps, Optional<IdempotencyRecord>> leaves) {
        Budget budget = call.toSettle();
        try {
            Optional<IdempotencyRecord> left =
                    budget.untilAnswered(() -> call.inTransaction(leaves), unwritten -> true);
            return new OutcomeUnknownException(
                    reason, call.key, what + "; " + left.map(this::describe).orElse("its record is gone"), cause);
        } catch (RuntimeException | Error unwritten) {
            OutcomeUnknownException told = new OutcomeUnknownException(
                    reason,
                    call.key,
                    what + "; this could not be recorded, so a retry may run " + ran + " again",
                    cause);
            Exceptions.suppress(told, unwritten);
            return told;
        }
    }

    /** Returns the record that the key has from now on. */
    private IdempotencyRecord left(RecordSteps steps) {
        Optional<IdempotencyRecord> found = steps.lock(call.key, LOCK_WAIT);
        if (found.isEmpty()) {
            return inserted(steps, call.tokens.fresh(), call.encodedPlan);
        }
        IdempotencyRecord record = found.get();
        if (!isOwnPending(record)) {
            return record;
        }
        if (record.protocol() == Protocol.EXTERNAL) {
            // An earlier try whose reply was lost has arrived.
            boolean unused = steps.confirm(call.key, record.token());
            return record;
        }
        boolean unused = steps.release(call.key, record.token());
        Optional<Payload> plan = record.fold(Pending::plan, succeeded -> Optional.empty(), failed -> Optional.empty());
        return inserted(steps, record.token(), plan);
    }

    /** Returns the inserted record, or the existing one. */
    private IdempotencyRecord inserted(RecordSteps steps, UUID token, Optional<Payload> plan) {
        Pending unresolved =
                new Pending(call.key, Protocol.EXTERNAL, token, call.request.fingerprint(), plan, Duration.ZERO);
        return steps.claim(unresolved, call.settings.retention(), LOCK_WAIT, Durability.DURABLE)
                .orElse(unresolved);
    }

    private boolean isOwnPending(IdempotencyRecord record) {
        return call.tokens.isOwn(record) && !Tokens.isTerminal(record);
    }

    private String describe(IdempotencyRecord left) {
        if (!call.tokens.isOwn(left)) {
            return "another call holds the key now";
        }
        return left.fold(
                pending -> "the key now has a record under which nothing runs again until "
                        + (left.protocol() == Protocol.FOLLOW_UP_BROKEN
                                ? "an operator settles it"
                                : "a lookup or an operator settles it"),
                succeeded -> "its record was committed too, so every retry gets the result of this call",
                failed -> "its record says that the attempt failed");
    }
}
