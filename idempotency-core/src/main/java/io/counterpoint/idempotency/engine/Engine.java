package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.function.CheckedFunction;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The loop of a call. It reads or claims the key, then carries out one {@link Next} after another until there is an
 * outcome. Each part of the protocol has its own class: {@link ClaimFirst}, {@link SingleTransaction}, {@link
 * RecordLast} and {@link External} lead, {@link Follower} answers from a record, {@link Arbitration} decides under its
 * lock, and {@link DurableFailure} makes failures durable.
 *
 * <p>After a retry, the call recognises its own writes by their {@link Tokens}. Retries other than waits are bounded by
 * a {@link Budget}, so every call ends.
 *
 * <p>Nothing here holds a session while opening another one or while waiting, so a pool of one connection is enough.
 */
public final class Engine<C, R> {

    private final Call<C, R> call;

    /** The place of a call that may wait. */
    private WaitingCallers.@Nullable Place place;

    Engine(Call<C, R> call) {
        this.call = call;
    }

    /**
     * Executes an attempt.
     *
     * @param <C> the handle that domain code gets
     * @param <R> the type of the result
     * @param settings the operation
     * @param request the request
     * @param planner creates the plan; null if there is none
     * @param work the user's work
     * @return the outcome. Exceptions of the work are rethrown as is, even checked ones; no other checked exception is
     *     thrown
     */
    public static <C, R> Outcome<R> execute(
            OperationSettings<C, R> settings,
            Request request,
            @Nullable Supplier<? extends R> planner,
            UserCode.Work<C, R> work) {
        IdempotencyKey key = request.key();
        return Nesting.notNested(key, () -> {
            Optional<R> plan = planner == null ? Optional.empty() : Optional.of(UserCode.plan(key, planner));
            return new Call<>(settings, request, plan, work).execute(Optional.empty());
        });
    }

    /**
     * Executes an attempt whose external work completes later. The thread that completes the work records its end.
     *
     * @param <C> the handle that domain code gets
     * @param <R> the type of the result
     * @param settings the operation
     * @param request the request
     * @param work starts the effect
     * @return a stage that completes with the outcome
     */
    public static <C, R> CompletionStage<Outcome<R>> executeAsync(
            OperationSettings<C, R> settings,
            Request request,
            CheckedFunction<IdempotencyKey, CompletionStage<R>, Exception> work) {
        Nesting.requireNotInside(request.key());
        return AsyncExternal.execute(settings, request, work);
    }

    /**
     * Settles an external attempt on an operator's decision.
     *
     * @param <C> the handle that domain code gets
     * @param <R> the type of the result
     * @param settings the operation
     * @param key the key
     * @param result the result, if the effect exists
     * @param failure why the attempt failed, if the effect does not exist
     * @return the outcome that retries get from now on; empty if the key has no record
     */
    public static <C, R> Optional<Outcome<R>> resolve(
            OperationSettings<C, R> settings, IdempotencyKey key, Optional<R> result, Optional<Failure> failure) {
        requireOwn(settings, key);
        return Nesting.notNested(key, () -> OperatorResolution.resolve(settings, key, result, failure));
    }

    /**
     * Runs the lookup of an external attempt now, and settles the attempt if the lookup can tell the outcome. Claims
     * and inserts nothing.
     *
     * @param <C> the handle that domain code gets
     * @param <R> the type of the result
     * @param settings the operation
     * @param key the key
     * @return the outcome that retries get from now on; empty if the key has no record
     */
    public static <C, R> Optional<Outcome<R>> settle(OperationSettings<C, R> settings, IdempotencyKey key) {
        requireOwn(settings, key);
        return Nesting.notNested(key, () -> OperatorResolution.settle(settings, key));
    }

    private static void requireOwn(OperationSettings<?, ?> settings, IdempotencyKey key) {
        if (!key.operation().equals(settings.name())) {
            throw new IllegalArgumentException(
                    key + ": this key does not belong to operation " + settings.name() + ".");
        }
    }

    /**
     * Returns the record of an attempt that has not ended.
     *
     * @param settings the operation
     * @param key the key
     * @return the record; empty if the key has none or the attempt has ended
     */
    public static Optional<Pending> pending(OperationSettings<?, ?> settings, IdempotencyKey key) {
        try {
            return settings.environment()
                    .store()
                    .storeFor(key)
                    .read(key)
                    .filter(Pending.class::isInstance)
                    .map(Pending.class::cast);
        } catch (IdempotencyException | MisuseException refused) {
            throw refused;
        } catch (RuntimeException thrown) {
            throw new NotStartedException(Reason.STORE_UNREACHABLE, key, thrown);
        }
    }

    /** Returns the outcome, starting with a record that was read for this call, if there was one. */
    Outcome<R> answer(Optional<IdempotencyRecord> known) {
        return outcomeOf(run(known));
    }

    /** Carries out one step after another until there is an outcome. */
    Outcome<R> outcomeOf(Next<R> first) {
        Next<R> next = first;
        while (!(next instanceof Next.Answer<R> answer)) {
            if (next instanceof Next.Started) {
                throw new IllegalStateException("Work that ends later was executed as work that ends here.");
            }
            next = carryOut(next);
        }
        return answer.outcome();
    }

    /** Returns the outcome, or the start of work that completes later. */
    Next<R> run(Optional<IdempotencyRecord> known) {
        boolean ended = false;
        if (call.waiting.isWanted()) {
            place = call.settings.environment().places().enter(call.key, call.settings.maxWaiting());
        }
        try {
            Next<R> next = known.isPresent() ? new Next.Follow<>(known.get()) : readOrClaim();
            while (!(next instanceof Next.Answer || next instanceof Next.Started)) {
                next = carryOut(next);
            }
            ended = next instanceof Next.Answer<R> answer && isFinal(answer.outcome());
            return next;
        } finally {
            if (place != null) {
                place.leave();
            }
            call.settings.environment().recentKeys().add(call.key);
            rememberIfUnfinished(ended || call.doubt.hasAttemptEnded());
        }
    }

    private Next<R> carryOut(Next<R> next) {
        if (next instanceof Next.Lead<R> lead) {
            return lead.protocol().isExternal()
                    ? new External<>(call).lead(lead)
                    : new ClaimFirst<>(call, null, lead.token(), lead.storedPlan()).lead();
        }
        if (next instanceof Next.Follow<R> follow) {
            return new Follower<>(call).follow(follow.record());
        }
        if (next instanceof Next.RetryAfterPause<R> retry) {
            return retryAfterPause(retry.because());
        }
        if (next instanceof Next.WaitForLeader<R> wait) {
            return waitForLeader(wait.seen());
        }
        if (call.budget().isLeft()) {
            return readOrClaim();
        }
        if (call.knowsEffect()) {
            throw call.owed(call.doubt.because().orElse(null));
        }
        return new Next.Answer<>(call.inProgress(Optional.empty()));
    }

    private static boolean isFinal(Outcome<?> outcome) {
        return outcome.fold(completed -> true, inProgress -> false, rejected -> true, keyReused -> false);
    }

    /** Only at the end: while this call continues, its key has a leader. */
    private void rememberIfUnfinished(boolean ended) {
        UnfinishedAttempts unfinished = call.settings.environment().unfinished();
        if (ended) {
            unfinished.forget(call.key);
        } else if (call.doubt.mayBeLeft() && !call.settings.protocol().isExternal()) {
            call.tokens.all().ifPresent(tokens -> unfinished.remember(call.key, tokens));
        }
    }

    private Next<R> readOrClaim() {
        if (call.mayNotClaim()) {
            return new Follower<>(call).lookAgain();
        }
        if (place != null && place.isRefused()) {
            return readOnly();
        }
        Optional<IdempotencyRecord> record = recordIfProbable();
        if (record.isPresent()) {
            return new Next.Follow<>(record.get());
        }
        return switch (call.settings.protocol()) {
            case CLAIM_FIRST -> ClaimFirst.claim(call);
            case SINGLE_TRANSACTION ->
                call.settings.recordLast() ? workOrClaim() : new SingleTransaction<>(call).lead();
            default -> new External<>(call).claim();
        };
    }

    /** Only reads, because another call of the key may lead. */
    private Next<R> readOnly() {
        try {
            return call.read().<Next<R>>map(Next.Follow::new).orElseGet(() -> doNotWait(Optional.empty()));
        } catch (RuntimeException | Error unanswered) {
            call.requireNoMisuse(unanswered);
            throw call.nothingLearned(unanswered);
        }
    }

    /** Runs the work without a claim, as long as nothing of this call can be in flight. */
    private Next<R> workOrClaim() {
        return call.doubt.exists() || call.doubt.mayArriveLate()
                ? ClaimFirst.claim(call)
                : new RecordLast<>(call).lead();
    }

    /** Reads before claiming if there probably is a record. If this finds none, the claim decides. */
    private Optional<IdempotencyRecord> recordIfProbable() {
        if (!call.probablyRecorded || call.doubt.exists()) {
            return Optional.empty();
        }
        try {
            Optional<IdempotencyRecord> record = call.read();
            call.probablyRecorded = record.isPresent();
            return record;
        } catch (RuntimeException | Error unanswered) {
            call.requireNoMisuse(unanswered);
            return Optional.empty();
        }
    }

    private Next<R> retryAfterPause(Throwable because) {
        if (!call.budget().isLeftAfterPause()) {
            throw call.nothingLearned(because);
        }
        return readOrClaim();
    }

    /** Reads again after a short wait, if the caller wants to wait. */
    private Next<R> waitForLeader(Optional<Pending> seen) {
        if (place != null && call.waiting.isTimeLeft() && (place.isRefused() || !place.mayWait())) {
            return doNotWait(seen);
        }
        if (!call.waiting.waitedForLeader()) {
            return new Next.Answer<>(call.inProgress(seen));
        }
        call.renewBudget();
        return readOrClaim();
    }

    /** Does not wait because the maximum number of callers are already waiting. */
    private Next<R> doNotWait(Optional<Pending> seen) {
        call.tell(IdempotencyEvent.WaitRefused::new);
        return new Next.Answer<>(call.inProgress(seen));
    }
}
