package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.engine.Run.End;
import io.counterpoint.idempotency.engine.Run.Ending;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.util.Optional;

/** SINGLE_TRANSACTION: claim, work and mark commit together or not at all. */
final class SingleTransaction<C, R> extends Leader<C, R> {

    /** What the latest claim found; empty if it found no record. */
    private Optional<IdempotencyRecord> found = Optional.empty();

    /** Whether the latest claim leads although the work has run as often as it may. */
    private boolean isSpent;

    SingleTransaction(Call<C, R> call) {
        super(call);
    }

    @Override
    Optional<Next<R>> runOnce(int runs) {
        Run<C, R> run =
                new Run<>(call, call.tokens.fresh(), call.plan, call.plan.isPresent() ? Ending.CHECK : Ending.MARK);
        // With a plan, the transaction's atomicity does the rest.
        IdempotencyRecord record = Claims.withWork(call, run.token(), call.encodedPlan);
        End end;
        // The transaction closes the session too. Closing it twice is harmless.
        try (Session<C> session = Claims.open(call, claimWait())) {
            Optional<IdempotencyRecord> present = Claims.recordIfProbablyClaimed(call, session);
            if (present.isPresent()) {
                return Optional.of(new Next.Follow<>(present.get()));
            }
            end = run.in(session, steps -> leads(steps, record));
        }
        if (run.hasLed()) {
            call.claimed();
        }
        return after(run, end, runs);
    }

    /** What the claim has shown is conclusive even if the work may not run again, and none of it is committed. */
    private boolean leads(RecordSteps steps, IdempotencyRecord record) {
        found = steps.claim(record, call.settings.retention(), claimWait(), Durability.DURABLE);
        boolean leads = found.isEmpty() && !call.doubt.recordMayBePurged();
        if (leads) {
            call.doubt.claimLeads();
        }
        isSpent = leads && call.doubt.mayNotRunAgain(call.retries());
        return leads && !isSpent;
    }

    /**
     * Rule 8: another claim leads after the last run, whose commit reply was lost. If that claim has waited for the
     * commit, every run was rolled back. Otherwise only {@code Failed} keeps a late commit out.
     */
    private Next<R> spent(Run<C, R> run) {
        Throwable lost = call.doubt.lostCommit();
        if (!call.locks().claimWaitsForEarlierRuns()) {
            return new DurableFailure<>(call).failUnclaimed(run.token(), lost);
        }
        throw new NotStartedException(Reason.RUNS_ROLLED_BACK, call.key, lost);
    }

    @Override
    Next<R> superseded(Run<C, R> run) {
        if (run.hasLed()) {
            return super.superseded(run);
        }
        return isSpent ? spent(run) : new Next.Follow<>(found.orElseThrow(call::purgedInDoubt));
    }

    @Override
    Optional<Next<R>> rolledBack(Run<C, R> run, int runs) {
        Throwable thrown = run.thrown();
        if (!run.hasLed()) {
            return Optional.of(Claims.rolledBack(call, thrown));
        }
        return run.isFollowedByAnother(runs, run.meetsWhatPasses())
                ? Optional.empty()
                : Optional.of(new DurableFailure<>(call).failUnclaimed(run.token(), thrown));
    }

    /**
     * Claiming again waits for the old transaction, or competes with it if locks are local. A commit of this call then
     * shows which of the two won.
     */
    @Override
    Optional<Next<R>> inDoubt(Run<C, R> run, int runs) {
        call.doubt.commitUnanswered(run.token(), run.result(), run.begun(), run.thrown());
        return Optional.of(new Next.RetryAfterPause<>(run.thrown()));
    }

    /** A follower waits as long as its caller wants; a leader in doubt waits until its old transaction has ended. */
    private Duration claimWait() {
        return call.doubt.exists() ? Waiting.LOCK_WAIT : call.waiting.leftForLock();
    }
}
