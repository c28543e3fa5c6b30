package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyException.OutcomeUnknownException;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import java.util.List;
import java.util.Optional;

/**
 * Ends an external attempt on an operator's word. A single transaction is pending only where its work has ended it by SQL
 * text, and its process has died since: it is ended in the same way.
 */
final class OperatorResolution<C, R> {

    private final Call<C, R> call;

    private OperatorResolution(Call<C, R> call) {
        this.call = call;
    }

    /** What the record says afterwards to the request that it belonged to before. */
    static <C, R> Optional<Outcome<R>> resolve(
            OperationSettings<C, R> settings, IdempotencyKey key, Optional<R> result, Optional<Failure> failure) {
        Call<C, R> reading = call(settings, key, Fingerprint.ofParts(), result);
        return reading.bounded(() -> {
            try {
                return reading.read().flatMap(record -> {
                    Call<C, R> call = call(settings, key, record.fingerprint(), result);
                    return call.bounded(() -> new OperatorResolution<>(call).resolve(record, failure));
                });
            } catch (IdempotencyException | MisuseException refused) {
                throw refused;
            } catch (RuntimeException thrown) {
                throw new OutcomeUnknownException(Reason.DOUBT_UNRESOLVED, key, thrown);
            }
        });
    }

    /** Its plan is the result, if the effect is there. */
    private static <C, R> Call<C, R> call(
            OperationSettings<C, R> settings, IdempotencyKey key, Fingerprint request, Optional<R> result) {
        return new Call<>(
                settings, new Request(key, request, List.of()), result, (handle, unused, plan) -> plan.orElseThrow());
    }

    private Optional<Outcome<R>> resolve(IdempotencyRecord record, Optional<Failure> failure) {
        if (record.protocol() == Protocol.CLAIM_FIRST) {
            throw new MisuseException(call.key + ": claimed under " + record.protocol()
                    + ", whose followers resolve it themselves; nothing of it is resolved by hand.");
        }
        boolean planned = record.fold(pending -> pending.plan().isPresent(), succeeded -> true, failed -> true);
        if (!planned && call.encodedPlan.isEmpty() && failure.isEmpty()) {
            throw new MisuseException(call.key + ": this attempt was not planned. State its result.");
        }
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
        return call.read().map(new Follower<>(call)::tell);
    }
}
