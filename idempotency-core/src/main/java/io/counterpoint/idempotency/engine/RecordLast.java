package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyException.NotStartedException;
import io.counterpoint.idempotency.engine.DomainTransaction.End;
import io.counterpoint.idempotency.engine.DomainTransaction.Ending;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * Record last: the work runs without a claim, and the finished record is inserted with the commit. The record's primary
 * key decides, and nothing else is believed. What the work throws may come from a rival's effect, and so may the refusal
 * of the commit: the record is asked before anything is answered.
 */
final class RecordLast<C, R> {

    private final Call<C, R> call;
    private final Claims<C, R> claims;

    RecordLast(Call<C, R> call) {
        this.call = call;
        this.claims = new Claims<>(call);
    }

    Next<R> lead() {
        for (int runs = 1; ; runs++) {
            UUID token = call.tokens.fresh();
            DomainTransaction<C, R> transaction = new DomainTransaction<>(call, token, call.plan, Ending.INSERT);
            End end;
            Instant begun = call.waiting.now();
            // The transaction closes the session too. It stays closed.
            try (Session<C> session = claims.open(call.waiting.leftForLock())) {
                Optional<IdempotencyRecord> present = claims.recordIfProbablyClaimed(session);
                if (present.isPresent()) {
                    return new Next.Follow<>(present.get());
                }
                if (!session.hasTurn()) {
                    // A caller of this process is at work. To work beside it would be in vain.
                    return new Next.WaitForLeader<>(Duration.ZERO);
                }
                end = transaction.run(session, steps -> {
                    steps.beginUnclaimed(call.key);
                    return true;
                });
            }
            call.restartBudgets();
            if (end == End.COMMITTED) {
                return new Next.Answer<>(call.executed(transaction.result()));
            }
            if (end == End.IN_DOUBT) {
                return claimFirst(transaction, begun);
            }
            if (end == End.SUPERSEDED) {
                return new Next.RetryNow<>();
            }
            Optional<Next<R>> next = afterRollback(transaction, runs);
            if (next.isPresent()) {
                return next.get();
            }
            call.waiting.pause(runs);
        }
    }

    /**
     * A commit that was not answered may still arrive, with its record. A read would not see it, and there is no record
     * to lock. So the call claims the key: that insert finds the record, or keeps it from ever being inserted.
     */
    private Next<R> claimFirst(DomainTransaction<C, R> transaction, Instant begun) {
        Throwable lost = transaction.thrown();
        call.doubt(lost);
        call.runsInDoubt.unclaimed(transaction.token(), transaction.result(), begun);
        call.hasLed = true;
        call.mayBePending = true;
        call.notifyListener(listener -> listener.commitUnknown(call.key, lost));
        return new Next.RetryAfterPause<>(lost);
    }

    /** What follows from a run that is not committed; nothing if the work is to run again. */
    private Optional<Next<R>> afterRollback(DomainTransaction<C, R> transaction, int runs) {
        Throwable thrown = transaction.thrown();
        if (!transaction.hasLed()) {
            return Optional.of(claims.rolledBack(thrown));
        }
        boolean passes = transaction.meetsWhatPasses();
        if (!transaction.hasWorked() && !passes) {
            return Optional.of(workFailed(transaction.token(), thrown));
        }
        Optional<IdempotencyRecord> record;
        try {
            record = call.read();
        } catch (RuntimeException | Error unread) {
            call.probablyRecorded = true;
            return Optional.of(new Next.RetryAfterPause<>(unread));
        }
        if (record.isPresent()) {
            if (!transaction.hasWorked()) {
                call.ownFailure = Optional.of(thrown);
            }
            return Optional.of(new Next.Follow<>(record.get()));
        }
        if (!passes) {
            return Optional.of(workFailed(transaction.token(), thrown));
        }
        if (transaction.hasWorked() && call.store.classify(thrown) == Fault.LOCK_TIMEOUT) {
            return Optional.of(new Next.WaitForLeader<>(Duration.ZERO));
        }
        if (transaction.runsAgain(runs)) {
            return Optional.empty();
        }
        // A rival at work may be the reason, so this is no failure of the attempt.
        throw new NotStartedException(
                call.key, "each run of the work met locks, conflicts or lost connections, and was rolled back", thrown);
    }

    /** The work's own exception, which proves nothing about the key: a record that is there is the answer. */
    private Next<R> workFailed(UUID token, Throwable thrown) {
        call.probablyRecorded |= !call.releases(thrown);
        return new Settlement<>(call).failUnclaimed(token, thrown);
    }
}
