package io.counterpoint.idempotency;

import io.counterpoint.idempotency.Idempotency.CheckReturnValue;
import io.counterpoint.idempotency.engine.OperationSettings;
import io.counterpoint.idempotency.function.CheckedBiConsumer;
import java.util.function.Supplier;

/**
 * An {@link ExternalOperation} whose result is known before the work, such as generated identifiers. Immutable and
 * thread-safe.
 *
 * <p>The plan is stored with the claim and is the result, so the lookup can search for exactly what was planned.
 *
 * @param <R> the type of the result
 */
public final class PlannedExternalOperation<R> extends AbstractExternalOperation<R, R> {

    private PlannedExternalOperation(OperationSettings<?, R> settings) {
        super(settings, result -> result, outcome -> outcome);
    }

    /**
     * Executes an attempt, or returns the outcome of an earlier call with the same key, like {@link
     * ExternalOperation#execute}.
     *
     * @param <X> the type of exception that the work throws
     * @param attempt the attempt: scope, key and request
     * @param plan creates the result; must be cheap and free of side effects, because it also runs for calls that turn
     *     out to be replays
     * @param work carries out the plan: takes the key, as in {@link ExternalOperation#execute}, and the plan
     * @return the outcome of the attempt
     * @throws X the work's exception, if it was declared to mean that there is no effect
     * @throws IdempotencyException as {@link ExternalOperation#execute}
     * @throws IllegalStateException if called inside another call, or inside an open transaction
     */
    @CheckReturnValue
    public <X extends Exception> Outcome<R> execute(
            Attempt attempt, Supplier<? extends R> plan, CheckedBiConsumer<IdempotencyKey, R, X> work) throws X {
        return attempt.call(settings, plan, (handle, key, planned) -> {
            R result = planned.orElseThrow();
            work.accept(key, result);
            return result;
        });
    }

    @Override
    public String toString() {
        return "PlannedExternalOperation" + settings;
    }

    /**
     * Builds an operation, like {@link ExternalOperation.Builder}.
     *
     * @param <C> the handle of a follow-up
     * @param <R> the result
     */
    public static final class Builder<C, R> extends ExternalBuilder<Builder<C, R>, C, R> {

        Builder(OperationOptions<C, R> options) {
            super(options);
        }

        /**
         * Builds the operation. The builder can be reused.
         *
         * @return the operation
         * @throws IllegalArgumentException if the retention is shorter than the time for which the other side
         *     {@linkplain #rememberedFor remembers}
         */
        public PlannedExternalOperation<R> build() {
            return new PlannedExternalOperation<>(options.settings(options.wait));
        }
    }
}
