package io.counterpoint.idempotency;

import io.counterpoint.idempotency.Idempotency.CheckReturnValue;
import io.counterpoint.idempotency.engine.OperationSettings;
import io.counterpoint.idempotency.function.CheckedBiConsumer;
import io.counterpoint.idempotency.function.CheckedBiPredicate;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * An {@link Operation} whose result is known before the work, such as generated identifiers. Immutable and thread-safe.
 *
 * <p>The plan is stored with the claim and is the result. A follower can therefore search for exactly what was planned,
 * and another run produces the same result.
 *
 * @param <C> the handle that the work gets
 * @param <R> the type of the result
 */
public final class PlannedOperation<C, R> {

    private final OperationSettings<C, R> settings;

    private PlannedOperation(OperationSettings<C, R> settings) {
        this.settings = settings;
    }

    /**
     * Executes an attempt, or returns the outcome of an earlier call with the same key, like {@link Operation#execute}.
     *
     * @param <X> the type of exception that the work throws
     * @param attempt the attempt: scope, key and request
     * @param plan creates the result; must be cheap and free of side effects, because it also runs for calls that turn
     *     out to be replays
     * @param work takes the handle, as in {@link Operation#execute}, and the plan, which after a takeover is that of
     *     the first leader. It carries out the plan or throws
     * @return the outcome of the attempt
     * @throws X the work's exception, if this call ran it and no other outcome is final
     * @throws IdempotencyException as {@link Operation#execute}
     * @throws IllegalStateException if called inside another call, or inside an open transaction
     */
    @CheckReturnValue
    public <X extends Exception> Outcome<R> execute(
            Attempt attempt, Supplier<? extends R> plan, CheckedBiConsumer<C, R, X> work) throws X {
        return attempt.call(settings, plan, (handle, key, planned) -> {
            R result = planned.orElseThrow();
            work.accept(handle.get(), result);
            return result;
        });
    }

    /**
     * Returns the full key of an attempt.
     *
     * @param attempt the attempt
     * @return its key for this operation
     */
    public IdempotencyKey keyOf(Attempt attempt) {
        return attempt.keyFor(settings.name());
    }

    @Override
    public String toString() {
        return "PlannedOperation" + settings;
    }

    /**
     * Builds an operation, like {@link Operation.Builder}.
     *
     * @param <C> the handle
     * @param <R> the result
     */
    public static final class Builder<C, R> extends TransactionalBuilder<Builder<C, R>, C, R> {

        Builder(OperationOptions<C, R> options) {
            super(options);
        }

        /**
         * Lets followers of a {@code Pending} record look for what was planned. If it is found, the result is the plan.
         *
         * @param lookUp takes a transaction on the primary database and the stored plan, and returns whether what was
         *     planned exists. It searches by identifier, never by similarity. If it throws, the record stays unchanged
         * @return this
         */
        public Builder<C, R> lookUpByPlan(CheckedBiPredicate<? super C, ? super R, Exception> lookUp) {
            options.lookUp = (handle, key, plan) ->
                    Lookup.of(plan.isPresent() && lookUp.test(handle.get(), plan.get()) ? plan : Optional.empty());
            return this;
        }

        /**
         * Builds the operation. The builder can be reused.
         *
         * @return the operation
         * @throws IllegalArgumentException if options contradict each other
         */
        public PlannedOperation<C, R> build() {
            return new PlannedOperation<>(settings());
        }
    }
}
