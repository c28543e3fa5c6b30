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

/** What the claims of all protocols have in common: how their sessions begin, and what a claim that failed means. */
final class Claims<C, R> {

    private final Call<C, R> call;

    Claims(Call<C, R> call) {
        this.call = call;
    }

    /** Opens the session of a claim. Without a session nothing is started by it. */
    Session<C> open(Duration maxWait) {
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

    /** Before this call leads after a claim of its own. */
    void requireCertainAbsence() {
        if (call.doubt.recordMayBePurged()) {
            throw call.purgedInDoubt();
        }
    }

    /** The record of a claim that is committed before the work begins. */
    Pending pending(Protocol protocol, UUID token) {
        return new Pending(call.key, protocol, token, call.request.fingerprint(), call.encodedPlan, Duration.ZERO);
    }

    /** The record of a claim in the transaction of the work: as it will stand, if its payload is known. */
    IdempotencyRecord withWork(UUID token, Optional<Payload> known) {
        return known.isPresent()
                ? new Succeeded(call.key, Protocol.SINGLE_TRANSACTION, token, call.request.fingerprint(), known)
                : pending(Protocol.SINGLE_TRANSACTION, token);
    }

    /** The claim of this call is committed. */
    void committed() {
        call.doubt.decided();
        call.claimed();
    }

    /** Claims in a session, unless another caller has a record by now. */
    Optional<IdempotencyRecord> claim(Session<C> session, Supplier<Optional<IdempotencyRecord>> claim) {
        Optional<IdempotencyRecord> record = recordIfProbablyClaimed(session);
        return record.isPresent() ? record : claim.get();
    }

    /** Reads before it claims, where another caller has probably claimed the key. The claim decides the rest. */
    Optional<IdempotencyRecord> recordIfProbablyClaimed(Session<C> session) {
        if (!session.probablyClaimed()) {
            return Optional.empty();
        }
        try {
            return session.autoCommit(steps -> steps.read(call.key));
        } catch (RuntimeException | Error unanswered) {
            return Optional.empty();
        }
    }

    /** The claim was a transaction of its own, so only a proven rollback shows that it did not arrive. */
    Next<R> failedAlone(Throwable thrown) {
        if (!call.store.classify(thrown).provesRollback()) {
            call.doubt.unanswered(thrown);
            return new Next.RetryAfterPause<>(thrown);
        }
        return rolledBack(thrown);
    }

    /** Nothing of the claim is committed. */
    Next<R> rolledBack(Throwable thrown) {
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
