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
 * <p>The claim is committed first, then the effect happens, then the record is marked. No connection is held in the
 * meantime. A leader that dies in between leaves a {@code Pending} record, which stays until the lookup finds the
 * effect: the absence of an effect cannot be proven from this side. Exceptions of the work prove nothing either, unless
 * they are declared to.
 *
 * <p>Put whatever follows the effect in the store's own database, such as a booking, into {@link Builder#then}: it
 * commits together with {@code Succeeded}, no matter which call establishes that the effect exists.
 *
 * <p>If the result is known before the work, use {@link PlannedExternalOperation}.
 *
 * <p>Conditions: the lookup is truthful and reads from the primary; every declaration of "no effect" is truthful; and
 * either the store loses no acknowledged commit, or the other side rejects a second effect under {@link
 * IdempotencyKey#hash()}.
 *
 * @param <R> the type of the result
 */
public final class ExternalOperation<R> extends AbstractExternalOperation<R, R> {

    ExternalOperation(OperationSettings<?, R> settings) {
        super(settings, result -> result, outcome -> outcome);
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
     * @param <X> the type of exception that the work throws
     * @param attempt the attempt: scope, key and request
     * @param work causes the effect: takes the key, to store with the effect or to pass its hash downstream, and
     *     returns the result, not null. Its exceptions prove nothing unless declared
     * @return the outcome of the attempt
     * @throws X the work's exception, if it was declared to mean that there is no effect
     * @throws OutcomeUnknownException for any other exception of the work, which is its cause; for an exception of the
     *     follow-up, with {@link IdempotencyException.Reason#FOLLOW_UP_OWED}. An {@link Error} is rethrown as is, with
     *     such an exception suppressed
     * @throws IdempotencyException if the store could not be queried, or a result cannot be stored or read
     * @throws IllegalStateException if called inside another call, or inside an open transaction
     */
    @CheckReturnValue
    public <X extends Exception> Outcome<R> execute(Attempt attempt, CheckedFunction<IdempotencyKey, R, X> work)
            throws X {
        return attempt.call(settings, null, (handle, key, plan) -> work.apply(key));
    }

    /**
     * Executes an attempt whose work starts on this thread and completes later, on any thread, such as a request that
     * is answered asynchronously or a client that returns stages. It differs from {@link #execute} as follows. This
     * thread makes the claim and answers followers. The thread that completes the work's stage writes the record, which
     * takes a call to the store and must not happen inside the work of another operation. A stage that never completes
     * leaves the record {@code Pending}.
     *
     * @param attempt the attempt: scope, key and request
     * @param work starts the effect: takes the key, as in {@link #execute}. Its stage completes with the result, not
     *     null, once the effect exists. What it throws, or its stage fails with, proves nothing unless declared
     * @return a stage that completes with the outcome of the attempt, or exceptionally with the very object that {@link
     *     #execute} would throw
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
         * Runs the follow-up in one transaction with the mark. It may run several times, each time after the previous
         * run was rolled back.
         *
         * @param handle the handle, as in an {@link Operation}; it cannot be used to end the transaction
         * @param key the key
         * @param result the result of the effect
         * @throws Exception if it cannot run now: the attempt stays unresolved and the next call tries again
         */
        void run(C handle, IdempotencyKey key, R result) throws Exception;
    }

    /**
     * Builds an operation. Every value has a default; each is checked when it is set. There is no option for abandoned
     * keys: they are left alone, because nothing proves that an external effect does not exist.
     *
     * @param <C> the handle of a follow-up
     * @param <R> the result
     */
    public static final class Builder<C, R> extends ExternalBuilder<Builder<C, R>, C, R> {

        Builder(OperationOptions<C, R> options) {
            super(options);
        }

        /**
         * Continues with an operation whose attempts have plans: results that are known before the work.
         *
         * @return a builder with the settings of this one
         */
        public PlannedExternalOperation.Builder<C, R> planned() {
            return new PlannedExternalOperation.Builder<>(options.copy());
        }

        /**
         * Builds the operation. The builder can be reused.
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
