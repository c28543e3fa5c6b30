package io.counterpoint.idempotency.engine;

import static io.counterpoint.idempotency.engine.Waiting.LOCK_WAIT;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.Operation.Abandoned;
import io.counterpoint.idempotency.Outcome.Ending;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.UndecodableException;
import io.counterpoint.idempotency.engine.Run.End;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.RecordSteps;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Rule 4: everything that is decided under the record's lock. A commit in flight still holds that lock, so a record
 * that is {@code Pending} under it has no effect, and cannot get one once its token is replaced or it has failed.
 *
 * <p>If locks are local to a node, a commit of another node may be in flight. It is then kept out by the acknowledged
 * commit of the replaced token or of the failure, so nothing is concluded before that commit is acknowledged.
 */
final class Arbitration<C, R> {

    private static final Failure GONE =
            new Failure(Failure.ABANDONED, "The leader died before anything was committed.");

    private final Call<C, R> call;

    Arbitration(Call<C, R> call) {
        this.call = call;
    }

    boolean isAbandoned(Pending pending) {
        return call.endingOf(pending.protocol()) == Ending.LATER_CALL
                && pending.age().compareTo(call.settings.grace()) >= 0;
    }

    /** Whether the attempt belongs to a call of this process that has ended, so that no work is running. */
    boolean isUnfinished(Pending pending) {
        return pending.protocol() == Protocol.CLAIM_FIRST
                && !call.settings.protocol().isExternal()
                && call.settings.environment().unfinished().contains(call.key, pending.token());
    }

    /**
     * Settles or takes over an attempt whose leader seems to be dead. An unfinished attempt of this process is always
     * taken over. Nobody can carry out a plan that cannot be read, so its attempt fails after the grace period.
     */
    Next<R> arbitrate(Pending pending, boolean unfinished) {
        boolean takesOver = unfinished || call.settings.abandoned() == Abandoned.TAKE_OVER;
        Optional<R> storedPlan = Optional.empty();
        if (takesOver) {
            try {
                storedPlan = call.decodePlan(pending);
            } catch (UndecodableException unreadable) {
                if (!isAbandoned(pending)) {
                    throw unreadable;
                }
                return decide(pending, false, false, storedPlan);
            }
        }
        return decide(pending, unfinished, takesOver, storedPlan);
    }

    private Next<R> decide(Pending pending, boolean unfinished, boolean takesOver, Optional<R> storedPlan) {
        UUID fresh = call.tokens.fresh();
        call.mayHaveTakenOver |= takesOver;
        boolean won;
        try {
            won = call.inTransaction(steps -> isStillAbandoned(steps, pending.token(), unfinished)
                    && (takesOver
                            ? steps.replaceToken(call.key, pending.token(), fresh)
                            : steps.fail(call.key, pending.token(), GONE)));
        } catch (RuntimeException | Error thrown) {
            return failed(pending, thrown);
        }
        if (!won) {
            return new Next.RetryNow<>();
        }
        call.doubt.decided();
        call.tell(details -> new IdempotencyEvent.Arbitrated(details, false));
        if (takesOver) {
            call.tell(IdempotencyEvent.TakenOver::new);
            return new Next.Lead<>(Protocol.CLAIM_FIRST, fresh, storedPlan);
        }
        call.tell(details -> new IdempotencyEvent.Failed(details, GONE));
        return new Next.Answer<>(call.rejected(GONE));
    }

    private boolean isStillAbandoned(RecordSteps steps, UUID token, boolean unfinished) {
        return steps.lock(call.key, Duration.ZERO)
                .filter(record -> Tokens.isPending(record, token))
                .filter(record -> unfinished || record.fold(this::isAbandoned, succeeded -> false, failed -> false))
                .isPresent();
    }

    private Next<R> failed(Pending pending, Throwable thrown) {
        if (call.store.classify(thrown) == Fault.LOCK_TIMEOUT) {
            return new Next.WaitForLeader<>(Optional.of(pending));
        }
        return new Next.RetryAfterPause<>(thrown);
    }

    /**
     * Resolves, on a new connection, a commit of this leader whose reply was lost. A record that is gone before its
     * retention has passed was lost with its claim, and so was the effect.
     */
    Resolved resolveOwn(Run<C, R> run, Budget budget, Renewal renewal, Supplier<OutcomeUnknownException> gone) {
        Throwable lost = run.thrown();
        Resolved resolved;
        try {
            resolved = budget.untilAnswered(() -> resolveOnce(run, renewal, gone), thrown -> {
                boolean again = !(thrown instanceof OutcomeUnknownException);
                if (again) {
                    Exceptions.suppress(lost, thrown);
                }
                return again;
            });
        } catch (OutcomeUnknownException recordGone) {
            throw recordGone;
        } catch (RuntimeException | Error unlocked) {
            throw new OutcomeUnknownException(Reason.COMMIT_UNANSWERED, call.key, lost);
        }
        call.tell(details -> new IdempotencyEvent.Arbitrated(details, resolved.end() == End.COMMITTED));
        return resolved;
    }

    private Resolved resolveOnce(Run<C, R> run, Renewal renewal, Supplier<OutcomeUnknownException> gone) {
        UUID fresh = call.tokens.fresh();
        Optional<End> end = call.inTransaction(steps ->
                steps.lock(call.key, LOCK_WAIT).map(record -> verdict(steps, record, run.token(), renewal, fresh)));
        return new Resolved(end.orElseThrow(gone), fresh);
    }

    /** Gives a record a new token under its lock, so that anything still in flight no longer changes it. */
    interface Renewal {
        /** Returns whether the record was changed. */
        boolean renews(RecordSteps steps, UUID token, UUID fresh);
    }

    /**
     * How a run ended whose commit reply was lost, and the token under which the call leads if the run was rolled back.
     */
    record Resolved(End end, UUID token) {}

    private End verdict(RecordSteps steps, IdempotencyRecord record, UUID token, Renewal renewal, UUID fresh) {
        if (!call.tokens.isOwn(record) && !record.token().equals(token)) {
            return End.SUPERSEDED;
        }
        return record.fold(
                pending -> renewal.renews(steps, pending.token(), fresh) ? End.ROLLED_BACK : End.SUPERSEDED,
                // Writing makes it certain: a promoted standby may lack what a read shows.
                succeeded -> steps.confirm(call.key, succeeded.token()) ? End.COMMITTED : End.SUPERSEDED,
                failed -> End.SUPERSEDED);
    }
}
