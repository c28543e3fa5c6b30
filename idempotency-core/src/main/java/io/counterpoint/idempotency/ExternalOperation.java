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
 * <p>The claim is committed first, then the effect happens, then the success is recorded. No connection is held in the
 * meantime. A leader that dies in between leaves a {@code Pending} record, which stays until the lookup finds the
 * effect. The library cannot prove that the effect did not happen. An exception thrown by the work doesn't prove it
 * either, unless the operation declares that it does.
 *
 * <p>Put anything that follows the effect in the store's own database, such as a booking, into {@link Builder#then}: it
 * commits together with {@code Succeeded}, no matter which call finds the effect.
 *
 * <p>{@link PlannedExternalOperation}: where the result is known before the work.
 *
 * <p>Conditions: the lookup is reliable and queries the primary. Declarations of "no effect" are true. The store loses
 * no acknowledged commit, or the other side rejects a second effect under {@link IdempotencyKey#hash()}.
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
     * @param attempt the caller's scope, its key and its request
     * @param work causes the effect: takes the key, to store it with the effect or to pass its hash downstream, and
     *     returns the result, not null. An exception that it throws proves nothing unless declared
     * @return the outcome of the attempt
     * @throws X what the work threw, if it was declared to mean that there is no effect
     * @throws OutcomeUnknownException for any other exception of the work, which is its cause; for an
     *     exception of the follow-up, with {@link IdempotencyException.Reason#FOLLOW_UP_OWED}. An error is rethrown as
     *     the same object, with such an exception suppressed
     * @throws IdempotencyException if the store is unreachable, or a result cannot be stored or read
     * @throws IllegalStateException if called inside another call, or inside an open transaction
     */
    @CheckReturnValue
    public <X extends Exception> Outcome<R> execute(Attempt attempt, CheckedFunction<IdempotencyKey, R, X> work)
            throws X {
        return attempt.call(settings, null, (handle, key, plan) -> work.apply(key));
    }

    /**
     * Executes an attempt whose work starts on this thread and completes later, on any thread, such as an asynchronous
     * request or a client that returns stages. Like {@link #execute}, with these differences: Claiming the key, and
     * answering a follower, happens on this thread. The thread that completes the work's stage writes the record. That
     * calls the store, so it must not happen inside the work of another operation. A stage that never completes leaves
     * the record {@code Pending}.
     *
     * @param attempt the caller's scope, its key and its request
     * @param work starts the effect: takes the key, as in {@link #execute}. Its stage completes with the result, not
     *     null, once the effect exists. An exception, whether thrown or from the stage, proves nothing unless declared
     * @return completes with the outcome of the attempt, or exceptionally with the same object that {@link #execute}
     *     would throw
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
     * The follow-up of an external effect in the store's own database.
     *
     * @param <C> the handle
     * @param <R> the result
     */
    @FunctionalInterface
    public interface FollowUp<C, R> {
        /**
         * Runs the follow-up, in the same transaction as the mark. It may run several times, each after the earlier run
         * was rolled back.
         *
         * @param handle the handle, like that of an {@link Operation}; it refuses to end the transaction
         * @param key the key
         * @param result the result of the effect
         * @throws Exception if the follow-up fails: the attempt stays unresolved, and the next call tries again
         */
        void run(C handle, IdempotencyKey key, R result) throws Exception;
    }

    /**
     * Builds an operation. Every value has a default; each is checked when it is set. Abandoned keys are always left as
     * they are, because nothing proves that an external effect did not happen.
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
         * Continues as a builder for an operation whose attempts have plans, that is, results that are known before the
         * work.
         *
         * @return a builder initialized with the values of this one
         */
        public PlannedExternalOperation.Builder<C, R> planned() {
            return new PlannedExternalOperation.Builder<>(options.copy());
        }

        /**
         * Builds the operation. The builder can be used again.
         *
         * @return the operation
         * @throws IllegalArgumentException if the retention is shorter than the time for which the other side
         *     {@linkplain #rememberedFor remembers}
         */
        public ExternalOperation<R> build() {
            return new ExternalOperation<>(options.settings(options.wait));
        }
    }
}
