package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyException.OutcomeUnknownException;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import java.util.Optional;

/**
 * Ends an external attempt on an operator's word. A single transaction is pending only where its work has ended it by SQL
 * text, and its process has died since: it is ended in the same way.
 */
final class OperatorResolution<C, R> {

    private final Call<C, R> call;

    /** The call's plan is the result, if the effect is there. */
    OperatorResolution(Call<C, R> call) {
        this.call = call;
    }

    Optional<Outcome<R>> resolve(Optional<Failure> failure) {
        try {
            Optional<IdempotencyRecord> record = call.read();
            record.ifPresent(found -> resolve(found, failure));
            Optional<IdempotencyRecord> now = record.isEmpty() ? record : call.read();
            now.ifPresent(call::awaitDurable);
            return now.map(call::outcomeOf);
        } catch (IdempotencyException | IllegalStateException refused) {
            throw refused;
        } catch (RuntimeException thrown) {
            throw new OutcomeUnknownException(Reason.DOUBT_UNRESOLVED, call.key, thrown);
        }
    }

    private void resolve(IdempotencyRecord record, Optional<Failure> failure) {
        if (record.protocol() == Protocol.CLAIM_FIRST) {
            throw new IllegalStateException(call.key + ": claimed under " + record.protocol()
                    + ", whose followers resolve it themselves; nothing of it is resolved by hand.");
        }
        boolean planned = record.fold(pending -> pending.plan().isPresent(), succeeded -> true, failed -> true);
        boolean changed = new Recording<>(call)
                .record(
                        steps -> failure.isPresent()
                                ? steps.fail(call.key, record.token(), failure.get())
                                : steps.succeed(
                                        call.key, record.token(), planned ? Optional.empty() : call.encodedPlan),
                        Recording.confirming(
                                now -> Tokens.isTerminal(now) && now.token().equals(record.token())));
        if (changed) {
            call.tell(details -> failure.<IdempotencyEvent>map(why -> new IdempotencyEvent.Failed(details, why))
                    .orElseGet(() -> new IdempotencyEvent.Healed(details)));
        }
    }
}
