package io.counterpoint.idempotency.engine;

import static io.counterpoint.idempotency.engine.Waiting.LOCK_WAIT;

import io.counterpoint.idempotency.engine.DomainTransaction.End;
import io.counterpoint.idempotency.engine.DomainTransaction.Ending;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.Session;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * CLAIM_FIRST: the claim is committed before the work begins. The work is one transaction that begins with the record's
 * lock and ends with the mark.
 */
final class ClaimFirst<C, R> {

    private final Call<C, R> call;

    ClaimFirst(Call<C, R> call) {
        this.call = call;
    }

    /** Claims and leads in one session, so that under load no call claims a key whose work cannot begin. */
    Next<R> claim() {
        UUID token = call.tokens.fresh();
        Claims<C, R> claims = new Claims<>(call);
        Pending pending = claims.pending(Protocol.CLAIM_FIRST, token);
        // The transaction of the work closes the session too. It stays closed.
        try (Session<C> session = claims.open(call.waiting.leftForClaim())) {
            call.mayBePending = true;
            Optional<IdempotencyRecord> found;
            try {
                found = claims.claim(
                        session,
                        () -> session.claimAndLock(pending, call.settings.retention(), LOCK_WAIT, durability()));
            } catch (RuntimeException | Error thrown) {
                return claims.failedAlone(thrown);
            }
            if (found.isPresent()) {
                return new Next.Follow<>(found.get());
            }
            if (!claims.recordMayBePurged()) {
                call.claimed();
                return lead(session, token, call.plan);
            }
        }
        throw call.purgedInDoubt();
    }

    /**
     * The log of one server is written in order, so no effect outlives its claim. A claim that keeps a late commit out has
     * to last, and so has one of which another node's commit has to know.
     */
    private Durability durability() {
        boolean mayBeLost = call.store.hasGlobalLocks() && !call.runsInDoubt.mayArriveLate();
        return mayBeLost ? Durability.ASYNCHRONOUS : Durability.DURABLE;
    }

    /** Leads under a claim of an earlier session, which is this call's by now. */
    Next<R> lead(Next.Lead<R> lead) {
        return lead(null, lead.token(), lead.storedPlan());
    }

    private Next<R> lead(@Nullable Session<C> first, UUID claimed, Optional<R> storedPlan) {
        call.hasLed = true;
        DomainTransaction<C, R> transaction = new DomainTransaction<>(
                call,
                claimed,
                storedPlan.or(() -> call.plan),
                storedPlan.isPresent() && call.plan.isPresent() ? Ending.MARK_AS_PLANNED : Ending.MARK);
        Session<C> ready = first;
        for (int runs = 1; ; runs++) {
            End end = run(transaction, ready);
            if (end == End.COMMITTED) {
                return new Next.Answer<>(call.executed(transaction.result()));
            }
            if (end == End.SUPERSEDED) {
                call.ownFailure = transaction.lastThrown().or(() -> call.ownFailure);
                return new Next.RetryNow<>();
            }
            Throwable thrown = transaction.thrown();
            if (!transaction.runsAgain(runs)) {
                return new Settlement<>(call).failClaimed(transaction.token(), thrown);
            }
            touch(transaction.token());
            call.waiting.pause(runs);
            ready = null;
        }
    }

    /** Runs once, and settles a commit that was not answered. */
    private End run(DomainTransaction<C, R> transaction, @Nullable Session<C> ready) {
        UUID token = transaction.token();
        Instant begun = call.waiting.now();
        End end = transaction.run(
                ready,
                steps -> steps.lock(call.key, LOCK_WAIT)
                        .filter(record -> Tokens.isPending(record, token))
                        .isPresent());
        call.restartBudgets();
        if (end != End.IN_DOUBT) {
            return end;
        }
        End settled = new Arbitration<>(call).settleOwn(transaction, begun);
        if (settled == End.SUPERSEDED) {
            // What this call returns instead has to be confirmed.
            call.doubt(transaction.thrown());
        }
        return settled;
    }

    /** Shows followers that the leader is alive and runs again. A lost touch is no harm: it only spares the leader. */
    private void touch(UUID token) {
        try {
            call.autoCommit(steps -> steps.replaceToken(call.key, token, token));
        } catch (RuntimeException thrown) {
            // The next run's lock shows whether the record is still this leader's.
        }
    }
}
