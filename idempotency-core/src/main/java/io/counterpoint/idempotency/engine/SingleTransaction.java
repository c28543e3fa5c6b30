package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyException.NotStartedException;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.engine.Run.End;
import io.counterpoint.idempotency.engine.Run.Ending;
import io.counterpoint.idempotency.internal.Rethrow;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * SINGLE_TRANSACTION: claim, work and mark commit together or not at all. The record of a claim may be a row of the domain.
 * Then nothing is recorded about a failure, and the row decides whatever was thrown.
 */
final class SingleTransaction<C, R> extends Leader<C, R> {

    SingleTransaction(Call<C, R> call) {
        super(call);
    }

    @Override
    Optional<Next<R>> runOnce(int runs) {
        Run<C, R> run =
                new Run<>(call, call.tokens.fresh(), call.plan, isInsertedAsItStands() ? Ending.CHECK : Ending.MARK);
        IdempotencyRecord record = record(run.token());
        End end;
        // The transaction closes the session too. It stays closed.
        try (Session<C> session = call.claims.open(claimWait())) {
            Optional<IdempotencyRecord> present = call.claims.recordIfProbablyClaimed(session);
            if (present.isPresent()) {
                return Optional.of(new Next.Follow<>(present.get()));
            }
            end = run.in(
                    session,
                    steps -> run.leadsAfter(
                                    steps.claim(record, call.settings.retention(), claimWait(), Durability.DURABLE))
                            && !call.doubt.recordMayBePurged());
        }
        if (run.hasLed()) {
            call.doubt.claimLeads();
            call.claimed();
        }
        return after(run, end, runs);
    }

    /** The transaction's atomicity does the rest. */
    private boolean isInsertedAsItStands() {
        return call.plan.isPresent() || call.settings.inDomainRow();
    }

    private IdempotencyRecord record(UUID token) {
        return isInsertedAsItStands()
                ? new Succeeded(
                        call.key, Protocol.SINGLE_TRANSACTION, token, call.request.fingerprint(), call.encodedPlan)
                : call.claims.pending(Protocol.SINGLE_TRANSACTION, token);
    }

    @Override
    Next<R> superseded(Run<C, R> run) {
        return run.hasLed()
                ? super.superseded(run)
                : new Next.Follow<>(run.found().orElseThrow(call::purgedInDoubt));
    }

    @Override
    Optional<Next<R>> rolledBack(Run<C, R> run, int runs) {
        Throwable thrown = run.thrown();
        if (call.settings.inDomainRow()) {
            return rowDecides(run, runs);
        }
        if (!run.hasLed()) {
            return Optional.of(call.claims.rolledBack(thrown));
        }
        return run.isFollowedByAnother(runs)
                ? Optional.empty()
                : Optional.of(new Recording<>(call).failUnclaimed(run.token(), thrown));
    }

    /** What is not there this call has not done, unless an earlier commit of its own may be under way. */
    private Optional<Next<R>> rowDecides(Run<C, R> run, int runs) {
        Throwable thrown = run.thrown();
        Optional<IdempotencyRecord> row = new Recording<>(call).recordAfter(thrown);
        if (row.isPresent()) {
            if (run.hasLed()) {
                call.ownFailure = Optional.of(thrown);
            }
            return Optional.of(new Next.Follow<>(row.get()));
        }
        if (call.doubt.exists()) {
            return Optional.of(new Next.RetryAfterPause<>(thrown));
        }
        if (!run.hasLed() && call.store.classify(thrown) == Fault.LOCK_TIMEOUT) {
            return Optional.of(new Next.WaitForLeader<>(Optional.empty()));
        }
        if (run.isFollowedByAnother(runs)) {
            return Optional.empty();
        }
        if (run.meetsWhatPasses()) {
            throw new NotStartedException(Reason.RUNS_ROLLED_BACK, call.key, thrown);
        }
        if (!run.hasLed()) {
            throw new NotStartedException(Reason.ROW_REFUSED, call.key, thrown);
        }
        call.doubt.attemptEnded();
        call.tell(IdempotencyEvent.Released::new);
        throw Rethrow.unchanged(thrown);
    }

    /**
     * To claim again waits for the old transaction, or competes with it where locks are local. A commit of this call then
     * shows which of the two stands.
     */
    @Override
    Optional<Next<R>> inDoubt(Run<C, R> run, int runs) {
        call.doubt.commitUnanswered(run.token(), run.result(), run.begun(), run.thrown());
        return Optional.of(new Next.RetryAfterPause<>(run.thrown()));
    }

    /** A follower waits as long as its caller wants; a leader in doubt until its old transaction has ended. */
    private Duration claimWait() {
        return call.doubt.exists() ? Waiting.LOCK_WAIT : call.waiting.leftForLock();
    }
}
