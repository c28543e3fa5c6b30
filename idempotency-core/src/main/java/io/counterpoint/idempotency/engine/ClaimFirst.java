package io.counterpoint.idempotency.engine;

import static io.counterpoint.idempotency.engine.Waiting.LOCK_WAIT;

import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.engine.Arbitration.Resolved;
import io.counterpoint.idempotency.engine.Run.End;
import io.counterpoint.idempotency.engine.Run.Ending;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.Session;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * CLAIM_FIRST: the claim is committed before the work begins. The work runs in one transaction that begins with the
 * record's lock and ends with the mark.
 */
final class ClaimFirst<C, R> extends Leader<C, R> {

    private final Optional<R> plan;
    private final Ending ending;
    private UUID token;
    private @Nullable Session<C> ready;

    /** Leads under a committed claim, at first in the given session, if there is one. */
    ClaimFirst(Call<C, R> call, @Nullable Session<C> ready, UUID token, Optional<R> storedPlan) {
        super(call);
        this.ready = ready;
        this.token = token;
        this.plan = storedPlan.or(() -> call.plan);
        this.ending = storedPlan.isPresent() && call.plan.isPresent() ? Ending.MARK_AS_PLANNED : Ending.MARK;
        call.doubt.leads();
    }

    /**
     * Claims and leads in one session, so that under load no call claims a key without being able to start its work.
     */
    static <C, R> Next<R> claim(Call<C, R> call) {
        UUID token = call.tokens.fresh();
        Pending pending = Claims.pending(call, Protocol.CLAIM_FIRST, token);
        // The transaction of the work closes the session too. Closing it twice is harmless.
        try (Session<C> session = Claims.open(call, call.waiting.leftForClaim())) {
            Optional<IdempotencyRecord> found;
            try {
                found = Claims.claim(
                        call,
                        session,
                        () -> session.claimAndLock(pending, call.settings.retention(), LOCK_WAIT, durability(call)));
            } catch (RuntimeException | Error thrown) {
                return Claims.failedAlone(call, thrown);
            }
            if (found.isPresent()) {
                return new Next.Follow<>(found.get());
            }
            if (!call.doubt.recordMayBePurged()) {
                Claims.committed(call);
                return new ClaimFirst<>(call, session, token, call.plan).lead();
            }
        }
        throw call.purgedInDoubt();
    }

    /**
     * Rule 9: one server writes its log in order, so no effect outlives its claim. A claim must be durable if it keeps
     * out a late commit, or if another node's commit has to know about it.
     */
    private static Durability durability(Call<?, ?> call) {
        boolean mayBeLost = call.locks().claimMayBeLost() && !call.doubt.mayArriveLate();
        return mayBeLost ? Durability.ASYNCHRONOUS : Durability.DURABLE;
    }

    @Override
    Optional<Next<R>> runOnce(int runs) {
        Session<C> first = ready;
        ready = null;
        if (call.doubt.mayArriveLate() && call.doubt.mayNotRunAgain(call.retries())) {
            // The commit whose reply was lost carried its record, which this claim keeps out: every run was rolled
            // back.
            if (first != null) {
                first.close();
            }
            return Optional.of(new DurableFailure<>(call).failClaimed(token, call.doubt.lostCommit()));
        }
        Run<C, R> run = new Run<>(call, token, plan, ending);
        // Rule 1: the lock and the check come first.
        End end = run.in(
                first,
                steps -> steps.lock(call.key, LOCK_WAIT)
                        .filter(record -> Tokens.isPending(record, run.token()))
                        .isPresent());
        return after(run, end, runs);
    }

    @Override
    Optional<Next<R>> rolledBack(Run<C, R> run, int runs) {
        if (!run.isFollowedByAnother(runs, run.meetsWhatPasses())) {
            return Optional.of(new DurableFailure<>(call).failClaimed(token, run.thrown()));
        }
        beat();
        return Optional.empty();
    }

    @Override
    Optional<Next<R>> inDoubt(Run<C, R> run, int runs) {
        Resolved resolved = new Arbitration<>(call)
                .resolveOwn(
                        run,
                        call.toSettle(),
                        (steps, old, fresh) -> steps.replaceToken(call.key, old, fresh),
                        () -> recordGone(run));
        if (resolved.end() == End.ROLLED_BACK) {
            token = resolved.token();
            return rolledBack(run, runs);
        }
        if (resolved.end() == End.SUPERSEDED) {
            // Whatever this call returns instead has to be confirmed.
            call.doubt.unanswered(run.thrown());
            return Optional.of(superseded(run));
        }
        return Optional.of(new Next.Answer<>(call.executed(run.result())));
    }

    private OutcomeUnknownException recordGone(Run<C, R> run) {
        return call.waiting.hasPassed(call.settings.retention(), run.begun())
                ? new WaitForOperator<>(call).leave(Reason.RECORD_GONE, Reason.RECORD_GONE.what(), run.thrown())
                : new OutcomeUnknownException(Reason.CLAIM_LOST, call.key, run.thrown());
    }

    /**
     * Shows followers that the leader is alive and runs again. Losing a heartbeat is harmless: it only protects the
     * leader from being taken over.
     */
    private void beat() {
        // Bypasses the call, which would put the write in doubt.
        try (Session<C> session = call.store.open(call.key)) {
            session.autoCommit(steps -> steps.replaceToken(call.key, token, token));
        } catch (RuntimeException thrown) {
            // The next run's lock reveals whether the record is still this leader's.
        }
    }
}
