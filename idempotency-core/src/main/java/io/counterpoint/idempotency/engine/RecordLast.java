package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.engine.Run.End;
import io.counterpoint.idempotency.engine.Run.Ending;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Record last: the work runs without a claim, and the finished record is inserted with the commit. Only the record's
 * primary key decides. An exception of the work, or a rejected commit, may be caused by a competing call's effect, so
 * the record is read before anything is returned.
 */
final class RecordLast<C, R> extends Leader<C, R> {

    /** Whether a run was rejected although the key had no record by then. */
    private boolean wasRefused;

    /** Whether the database has reported that another transaction has the turn. */
    private boolean isTurnOfAnother;

    /** The record that was read instead of getting a turn. */
    private Optional<IdempotencyRecord> readWithoutTurn = Optional.empty();

    RecordLast(Call<C, R> call) {
        super(call);
    }

    @Override
    Optional<Next<R>> runOnce(int runs) {
        Run<C, R> run = new Run<>(call, call.tokens.fresh(), call.plan, Ending.INSERT);
        End end;
        // The transaction closes the session too. Closing it twice is harmless.
        try (Session<C> session = Claims.open(call, call.waiting.leftForLock())) {
            Optional<IdempotencyRecord> present = Claims.recordIfProbablyClaimed(call, session);
            if (present.isPresent()) {
                return Optional.of(new Next.Follow<>(present.get()));
            }
            if (!session.hasTurn()) {
                // A caller of this process is at work. Working at the same time would be pointless.
                return Optional.of(new Next.WaitForLeader<>(Optional.empty()));
            }
            end = run.in(session, this::begins);
        }
        return after(run, end, runs);
    }

    /**
     * A turn proves nothing: its absence only saves this call pointless work. After a lost transaction, the turn may be
     * held by this call itself.
     */
    private boolean begins(RecordSteps steps) {
        isTurnOfAnother = !call.mayHaveTurnElsewhere && !steps.takeTurn(call.key);
        if (isTurnOfAnother) {
            readWithoutTurn = steps.readWithoutTurn(call.key);
            return false;
        }
        steps.beginUnclaimed(call.key);
        return true;
    }

    /** Without a turn, this call has lost nothing. It checks the record before it requests a turn again. */
    @Override
    Next<R> superseded(Run<C, R> run) {
        Next<R> again = super.superseded(run);
        if (run.hasLed()) {
            return again;
        }
        call.probablyRecorded = true;
        return readWithoutTurn
                .<Next<R>>map(Next.Follow::new)
                .orElseGet(() -> new Next.WaitForLeader<>(Optional.empty()));
    }

    /**
     * A commit whose reply was lost may still arrive with its record. A read would not see it, and there is no record
     * to lock. The call therefore claims the key: that insert either finds the record or keeps it from ever being
     * inserted.
     */
    @Override
    Optional<Next<R>> inDoubt(Run<C, R> run, int runs) {
        call.doubt.lateCommitUnanswered(run.token(), run.result(), run.begun(), run.thrown());
        return Optional.of(new Next.RetryAfterPause<>(run.thrown()));
    }

    @Override
    Optional<Next<R>> rolledBack(Run<C, R> run, int runs) {
        Throwable thrown = run.thrown();
        call.mayHaveTurnElsewhere |= !isTurnOfAnother && isConnectionLost(thrown);
        if (!run.hasLed()) {
            return Optional.of(Claims.rolledBack(call, thrown));
        }
        boolean passes = run.meetsWhatPasses();
        if (!run.hasWorked() && !passes) {
            return Optional.of(workFailed(run.token(), thrown));
        }
        Optional<IdempotencyRecord> record;
        try {
            record = call.read();
        } catch (RuntimeException | Error unread) {
            call.probablyRecorded = true;
            return Optional.of(new Next.RetryAfterPause<>(unread));
        }
        if (record.isPresent()) {
            if (!run.hasWorked()) {
                call.suppressedFailure = Optional.of(thrown);
            }
            return Optional.of(new Next.Follow<>(record.get()));
        }
        if (!passes) {
            // The conflicting record may have been released in the meantime.
            boolean again = !wasRefused && run.isFollowedByAnother(runs, true);
            wasRefused = true;
            return again ? Optional.empty() : Optional.of(workFailed(run.token(), thrown));
        }
        if (run.hasWorked() && call.store.classify(thrown) == Fault.LOCK_TIMEOUT && !call.runsOnce()) {
            return Optional.of(new Next.WaitForLeader<>(Optional.empty()));
        }
        if (run.isFollowedByAnother(runs, passes)) {
            return Optional.empty();
        }
        // A competing call may be the cause, so this is not a failure of the attempt.
        throw new NotStartedException(Reason.RUNS_ROLLED_BACK, call.key, thrown);
    }

    /** Possibly only the rollback encountered it. */
    private boolean isConnectionLost(Throwable thrown) {
        return Stream.concat(Stream.of(thrown), Stream.of(thrown.getSuppressed()))
                .anyMatch(one -> call.store.classify(one) == Fault.CONNECTION_LOST);
    }

    /** Handles the work's own exception, which proves nothing about the key: an existing record decides. */
    private Next<R> workFailed(UUID token, Throwable thrown) {
        call.probablyRecorded = true;
        return new DurableFailure<>(call).failUnclaimed(token, thrown);
    }
}
