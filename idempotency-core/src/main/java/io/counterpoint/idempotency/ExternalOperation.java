package io.counterpoint.idempotency;

import io.counterpoint.idempotency.Idempotency.CheckReturnValue;
import io.counterpoint.idempotency.Operation.Abandoned;
import io.counterpoint.idempotency.engine.Engine;
import io.counterpoint.idempotency.engine.OperationSettings;
import io.counterpoint.idempotency.function.CheckedFunction;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A named use case with an external effect: in another database, or behind a remote call. Immutable and thread-safe.
 *
 * <p>The claim is committed first, then the effect happens, then the record says so. No connection is held meanwhile. A
 * leader that dies in between leaves a {@code Pending} record, which stays until the lookup finds the effect. It cannot
 * be proven from here that there is none. What the work throws proves nothing either, unless it is declared to.
 *
 * <p>What follows the effect in the store's own database, such as a booking, belongs into {@link Builder#then}: it commits
 * together with {@code Succeeded}, no matter which call finds out that the effect is there.
 *
 * <p>{@link PlannedExternalOperation}: where the result is known before the work.
 *
 * <p>Conditions: the lookup is honest and looks at the primary. A declaration of "no effect" is honest. The store loses
 * no acknowledged commit, or the other side refuses a second effect under {@link IdempotencyKey#hash()}.
 *
 * @param <R> the type of the result
 */
public final class ExternalOperation<R> extends AbstractExternalOperation<R> {

    ExternalOperation(OperationSettings<?, R> settings) {
        super(settings);
    }

    static <C, R> Builder<C, R> builder(
            OperationOptions<C, R> options, CheckedFunction<Unresolved<R>, Lookup<R>, Exception> lookUp) {
        options.abandoned = Abandoned.LEAVE;
        options.lookUp = (handle, key, plan) -> lookUp.apply(new Unresolved<>(key, plan));
        return new Builder<>(options);
    }

    /**
     * Executes an attempt, or returns the outcome of an earlier call with the same key. The work runs at most once per
     * call, and never again for a key whose earlier run may have had an effect.
     *
     * @param <X> what the work throws
     * @param attempt who asks, under which key, with which request
     * @param work makes the effect: takes the key, to store with the effect or to pass its hash downstream, and returns the
     *     result, not null. What it throws proves nothing, unless declared
     * @return what the caller may know of the attempt
     * @throws X what the work threw, if it was declared to mean that there is no effect
     * @throws OutcomeUnknownException for any other exception of the work, which is its cause; for an
     *     exception of the follow-up, with {@link IdempotencyException.Reason#FOLLOW_UP_OWED}. An error leaves as the same
     *     object, which has such an exception suppressed
     * @throws IdempotencyException if the store could not be asked, or a result cannot be stored or read
     * @throws IllegalStateException if called inside another call, or inside an open transaction
     */
    @CheckReturnValue
    public <X extends Exception> Outcome<R> execute(Attempt attempt, CheckedFunction<IdempotencyKey, R, X> work)
            throws X {
        return attempt.call(settings, null, (handle, key, plan) -> work.apply(key));
    }

    /**
     * Executes an attempt whose work starts on this thread and completes later, on any thread: a request that is
     * answered asynchronously, a client that gives stages. As {@link #execute}, with these differences. The claim is
     * made, and a follower is answered, on this thread. The thread that completes the work's stage writes the record.
     * That takes a call to the store and must not happen inside the work of another operation. A stage that never
     * completes leaves the record {@code Pending}.
     *
     * @param attempt who asks, under which key, with which request
     * @param work begins the effect: takes the key, as in {@link #execute}. Its stage completes with the result, not null,
     *     when the effect is there. What it throws, or the stage ends with, proves nothing, unless
     *     declared
     * @return completes with what the caller may know of the attempt, or exceptionally with what {@link #execute} would
     *     throw, the same object
     * @throws IllegalStateException if called inside another call
     */
    @CheckReturnValue
    public CompletionStage<Outcome<R>> executeAsync(
            Attempt attempt, CheckedFunction<IdempotencyKey, CompletionStage<R>, Exception> work) {
        return attempt.callAsync(settings, request -> Engine.executeAsync(settings, request, work));
    }

    @Override
    public String toString() {
        return "ExternalOperation" + settings;
    }

    /**
     * An attempt that may or may not have taken effect.
     *
     * @param <R> the result
     * @param key its key
     * @param plan its plan, if it was executed with one
     */
    public record Unresolved<R>(IdempotencyKey key, Optional<R> plan) {
        @Override
        public String toString() {
            return "Unresolved[" + key + "]";
        }
    }

    /**
     * What follows an external effect in the store's own database.
     *
     * @param <C> the handle
     * @param <R> the result
     */
    @FunctionalInterface
    public interface FollowUp<C, R> {
        /**
         * Follows up, in one transaction with the mark. It may run several times, each after the earlier run was rolled back.
         *
         * @param handle the handle, as that of an {@link Operation}; it refuses to end the transaction
         * @param key the key
         * @param result the result of the effect
         * @throws Exception if it cannot follow up now: the attempt stays unresolved, and the next call tries again
         */
        void run(C handle, IdempotencyKey key, R result) throws Exception;
    }

    /**
     * Builds an operation. Every value has a default; each is checked when it is set. There is no choice for abandoned
     * keys: they are left, since nothing proves that an external effect is not there.
     *
     * @param <C> the handle of a follow-up
     * @param <R> the result
     */
    public static final class Builder<C, R> extends ExternalBuilder<Builder<C, R>, C, R> {

        Builder(OperationOptions<C, R> options) {
            super(options);
        }

        @Override
        Builder<C, R> self() {
            return this;
        }

        /**
         * Goes on as an operation whose attempts have plans: results that are known before the work.
         *
         * @return a builder with the values of this one
         */
        public PlannedExternalOperation.Builder<C, R> planned() {
            return new PlannedExternalOperation.Builder<>(options.copy());
        }

        /**
         * Builds. The builder can go on and build others.
         *
         * @return the operation
         * @throws IllegalArgumentException if the retention is shorter than what the other side {@linkplain #rememberedFor
         *     remembers}
         */
        public ExternalOperation<R> build() {
            return new ExternalOperation<>(options.settings(options.wait));
        }
    }
}
