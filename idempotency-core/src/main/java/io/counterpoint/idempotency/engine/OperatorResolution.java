package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Settles an external attempt on an operator's decision. A single transaction is pending only if its work ended it by
 * SQL text and its process has died since; it is settled in the same way.
 */
final class OperatorResolution<C, R> {

    private final Call<C, R> call;

    private OperatorResolution(Call<C, R> call) {
        this.call = call;
    }

    /** Returns the outcome of the record afterwards, for the request that it belonged to before. */
    static <C, R> Optional<Outcome<R>> resolve(
            OperationSettings<C, R> settings, IdempotencyKey key, Optional<R> result, Optional<Failure> failure) {
        return ofRecord(settings, key, result, (operator, record) -> operator.resolve(record, failure));
    }

    /** The lookup decides. Does not wait for a leader, and claims nothing if the record disappears in the meantime. */
    static <C, R> Optional<Outcome<R>> settle(OperationSettings<C, R> settings, IdempotencyKey key) {
        return ofRecord(settings, key, Optional.empty(), (operator, record) -> {
            Call<C, R> call = operator.call;
            call.followOnly();
            return Optional.of(new Engine<>(call).outcomeOf(new Next.Follow<>(record)));
        });
    }

    private static <C, R> Optional<Outcome<R>> ofRecord(
            OperationSettings<C, R> settings,
            IdempotencyKey key,
            Optional<R> result,
            BiFunction<OperatorResolution<C, R>, IdempotencyRecord, Optional<Outcome<R>>> resolution) {
        Call<C, R> reading = call(settings, key, Fingerprint.ofParts(), result);
        return reading.bounded(() -> {
            try {
                return reading.read().flatMap(record -> {
                    Call<C, R> call = call(settings, key, record.fingerprint(), result);
                    return call.bounded(() -> resolution.apply(new OperatorResolution<>(call), record));
                });
            } catch (IdempotencyException | MisuseException refused) {
                throw refused;
            } catch (RuntimeException thrown) {
                throw new OutcomeUnknownException(Reason.DOUBT_UNRESOLVED, key, thrown);
            }
        });
    }

    /** Its plan is the result, if the effect exists. */
    private static <C, R> Call<C, R> call(
            OperationSettings<C, R> settings, IdempotencyKey key, Fingerprint request, Optional<R> result) {
        return new Call<>(
                settings,
                new Request(key, request, List.of()),
                result,
                (handle, unused, plan) -> plan.orElseThrow(),
                new Waiting(settings.environment().clock(), Duration.ZERO, new Interrupts()));
    }

    private Optional<Outcome<R>> resolve(IdempotencyRecord record, Optional<Failure> failure) {
        if (record.protocol() == Protocol.CLAIM_FIRST) {
            throw new MisuseException(call.key + ": claimed under " + record.protocol() + ", so it cannot be resolved"
                    + " by hand. A later call of its in-database operation settles it, unless that has"
                    + " whenAbandoned(LEAVE, ...).");
        }
        boolean terminal = Tokens.isTerminal(record);
        boolean planned = terminal || (failure.isEmpty() && isPlanned((Pending) record));
        if (!planned && call.encodedPlan.isEmpty() && failure.isEmpty()) {
            throw new MisuseException(
                    call.key + ": the record of this attempt has no planned result. Pass its result.");
        }
        if (!terminal && record.protocol().owesFollowUp()) {
            Optional<Next<R>> followUp = owed((Pending) record, failure.isPresent());
            if (followUp.isPresent()) {
                Outcome<R> unused = new Engine<>(call).outcomeOf(followUp.get());
                return call.read().map(new Follower<>(call)::tell);
            }
        }
        Optional<Payload> payload = planned || failure.isPresent()
                ? Optional.empty()
                : Optional.of(
                        call.settings.payloads().encode(Reason.RESULT_UNSTORABLE, call.key, said((Pending) record)));
        boolean changed = new DurableChange<>(call)
                .make(
                        steps -> failure.isPresent()
                                ? steps.fail(call.key, record.token(), failure.get())
                                : steps.succeed(call.key, record.token(), payload),
                        DurableChange.confirming(
                                now -> Tokens.isTerminal(now) && now.token().equals(record.token())));
        if (changed) {
            call.tell(details -> failure.<IdempotencyEvent>map(why -> new IdempotencyEvent.Failed(details, why))
                    .orElseGet(() -> new IdempotencyEvent.Healed(details)));
        }
        return call.read().map(new Follower<>(call)::tell);
    }

    /** Whether the record contains the result. */
    private boolean isPlanned(Pending pending) {
        Payloads<R> payloads = call.settings.payloads();
        return pending.plan().isPresent()
                && (payloads.planIsResult()
                        || payloads.resultIn(call.key, pending).isPresent());
    }

    /**
     * The follow-up that must accompany the mark; empty if, on the operator's decision, the mark alone settles the
     * record.
     */
    private Optional<Next<R>> owed(Pending record, boolean fails) {
        if (!call.settings.userCode().hasFollowUp()) {
            throw new MisuseException(
                    call.key + ": this attempt owes a follow-up, but this operation defines none. Resolve it in the"
                            + " application, whose operation does.");
        }
        if (record.protocol() == Protocol.EXTERNAL_THEN) {
            return fails ? Optional.empty() : Optional.of(followUp(record));
        }
        if (fails) {
            throw new MisuseException(
                    call.key + ": this attempt is known to have taken effect, so it cannot be resolved as failed.");
        }
        return record.protocol() == Protocol.FOLLOW_UP_OWED ? Optional.of(followUp(record)) : Optional.empty();
    }

    private Next<R> followUp(Pending record) {
        boolean stored = isPlanned(record);
        return FollowUp.carryOut(call, record, stored ? call.decodePlan(record).orElseThrow() : said(record), stored);
    }

    private R said(Pending record) {
        return call.settings.payloads().complete(call.decodePlan(record), call.plan.orElseThrow());
    }
}
