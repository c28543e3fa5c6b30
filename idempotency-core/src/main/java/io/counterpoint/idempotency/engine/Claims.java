package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/** What the claims of all protocols have in common: how their sessions begin, and what a failed claim means. */
final class Claims {

    private Claims() {}

    /** Opens the session of a claim. Without a session, the claim starts nothing. */
    static <C, R> Session<C> open(Call<C, R> call, Duration maxWait) {
        for (; ; ) {
            try {
                return call.store.openForClaim(call.key, maxWait);
            } catch (RuntimeException | Error thrown) {
                call.requireNoMisuse(thrown);
                if (!call.doubt.exists() || !call.doubt.budget().isLeftAfterPause()) {
                    throw call.nothingLearned(thrown);
                }
            }
        }
    }

    /** Returns the record of a claim that is committed before the work begins. */
    static <C, R> Pending pending(Call<C, R> call, Protocol protocol, UUID token) {
        return new Pending(call.key, protocol, token, call.request.fingerprint(), call.encodedPlan, Duration.ZERO);
    }

    /** Returns the record of a claim in the transaction of the work, in its final form if its payload is known. */
    static <C, R> IdempotencyRecord withWork(Call<C, R> call, UUID token, Optional<Payload> known) {
        return known.isPresent()
                ? new Succeeded(call.key, Protocol.SINGLE_TRANSACTION, token, call.request.fingerprint(), known)
                : pending(call, Protocol.SINGLE_TRANSACTION, token);
    }

    /** Records that the claim of this call is committed. */
    static <C, R> void committed(Call<C, R> call) {
        call.doubt.decided();
        call.claimed();
    }

    /** Claims in a session, unless another caller already has a record. */
    static <C, R> Optional<IdempotencyRecord> claim(
            Call<C, R> call, Session<C> session, Supplier<Optional<IdempotencyRecord>> claim) {
        Optional<IdempotencyRecord> record = recordIfProbablyClaimed(call, session);
        return record.isPresent() ? record : claim.get();
    }

    /** Reads before claiming if another caller has probably claimed the key. The claim decides the rest. */
    static <C, R> Optional<IdempotencyRecord> recordIfProbablyClaimed(Call<C, R> call, Session<C> session) {
        if (!session.probablyClaimed()) {
            return Optional.empty();
        }
        try {
            return session.autoCommit(steps -> steps.read(call.key));
        } catch (RuntimeException | Error unanswered) {
            return Optional.empty();
        }
    }

    /** The claim had its own transaction, so only a proven rollback shows that it did not arrive. */
    static <C, R> Next<R> failedAlone(Call<C, R> call, Throwable thrown) {
        if (!call.store.classify(thrown).provesRollback()) {
            call.doubt.unanswered(thrown);
            return new Next.RetryAfterPause<>(thrown);
        }
        return rolledBack(call, thrown);
    }

    /** Nothing of the claim is committed. */
    static <C, R> Next<R> rolledBack(Call<C, R> call, Throwable thrown) {
        call.requireNoMisuse(thrown);
        Fault fault = call.store.classify(thrown);
        if (fault == Fault.LOCK_TIMEOUT && !call.doubt.exists()) {
            return new Next.WaitForLeader<>(Optional.empty());
        }
        if (!fault.isTransient()) {
            throw call.nothingLearned(thrown);
        }
        return new Next.RetryAfterPause<>(thrown);
    }
}
