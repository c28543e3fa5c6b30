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
 * outcome. Each part of the protocol has a class of its own: {@link ClaimFirst}, {@link SingleTransaction},
 * {@link RecordLast} and {@link External} lead, {@link Follower} answers from a record, {@link Arbitration} decides under its lock, and
 * {@link DurableFailure} makes failures durable.
 *
 * <p>After a retry, whatever this call wrote is recognised by its {@link Tokens}. Retries that are not waits are bounded
 * by a {@link Budget}, so a call ends.
 *
 * <p>Nothing here holds a session while it opens another, or while it waits: a pool of one connection is enough.
 */
public final class Engine<C, R> {

    private final Call<C, R> call;

    /** Of a call that may wait. */
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
     * @param planner makes the plan; null if there is none
     * @param work the user's work
     * @return the outcome; what the work threw leaves as it is, also a checked exception, and no other checked one does
     */
    public static <C, R> Outcome<R> execute(
            OperationSettings<C, R> settings,
            Request request,
            @Nullable Supplier<? extends R> planner,
            UserCode.Work<C, R> work) {
        IdempotencyKey key = request.key();
        Nesting.enter(key);
        try {
            Optional<R> plan = planner == null ? Optional.empty() : Optional.of(UserCode.plan(key, planner));
            return new Call<>(settings, request, plan, work).execute(Optional.empty());
        } finally {
            Nesting.leave();
        }
    }

    /**
     * Executes an attempt whose external work ends later. Its end is recorded on the thread that ends the work.
     *
     * @param <C> the handle that domain code gets
     * @param <R> the type of the result
     * @param settings the operation
     * @param request the request
     * @param work begins the effect
     * @return completes with the outcome
     */
    public static <C, R> CompletionStage<Outcome<R>> executeAsync(
            OperationSettings<C, R> settings,
            Request request,
            CheckedFunction<IdempotencyKey, CompletionStage<R>, Exception> work) {
        Nesting.requireNotInside(request.key());
        return AsyncExternal.execute(settings, request, work);
    }

    /**
     * Ends an external attempt on the word of an operator.
     *
     * @param <C> the handle that domain code gets
     * @param <R> the type of the result
     * @param settings the operation
     * @param key the key
     * @param result the result, if the effect is there
     * @param failure why it failed, if the effect is not there
     * @return what retries get from now on; empty if the key has no record
     */
    public static <C, R> Optional<Outcome<R>> resolve(
            OperationSettings<C, R> settings, IdempotencyKey key, Optional<R> result, Optional<Failure> failure) {
        requireOwn(settings, key);
        return Nesting.notNested(key, () -> OperatorResolution.resolve(settings, key, result, failure));
    }

    /**
     * Asks the lookup of an external attempt now, and ends the attempt if that knows how. Claims and inserts nothing.
     *
     * @param <C> the handle that domain code gets
     * @param <R> the type of the result
     * @param settings the operation
     * @param key the key
     * @return what retries get from now on; empty if the key has no record
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
     * The record of an attempt that has not ended.
     *
     * @param settings the operation
     * @param key the key
     * @return the record; empty if the key has none, or it has ended
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

    /** The outcome. Begins with a record that was read for this call, if there was one. */
    Outcome<R> answer(Optional<IdempotencyRecord> known) {
        return outcomeOf(run(known));
    }

    /** Carries out what comes next, to the outcome. */
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

    /** The outcome, or that work has begun which ends later. */
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

    /** Not before the end: while this call goes on, its key has a leader. */
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

    /** Beside another call of the key, which may lead. */
    private Next<R> readOnly() {
        try {
            return call.read().<Next<R>>map(Next.Follow::new).orElseGet(() -> doNotWait(Optional.empty()));
        } catch (RuntimeException | Error unanswered) {
            call.requireNoMisuse(unanswered);
            throw call.nothingLearned(unanswered);
        }
    }

    /** Without a claim, as long as nothing of this call can be under way. */
    private Next<R> workOrClaim() {
        return call.doubt.exists() || call.doubt.mayArriveLate()
                ? ClaimFirst.claim(call)
                : new RecordLast<>(call).lead();
    }

    /** Reads before it claims, where there probably is a record. The claim decides whatever this does not find. */
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

    /** Reads again after a little wait, if the caller wants to wait. */
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

    /** As many callers as may wait do so. */
    private Next<R> doNotWait(Optional<Pending> seen) {
        call.tell(IdempotencyEvent.WaitRefused::new);
        return new Next.Answer<>(call.inProgress(seen));
    }
}
