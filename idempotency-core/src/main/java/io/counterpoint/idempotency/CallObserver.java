package io.counterpoint.idempotency;

import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Observes every call of the operations of one {@link Idempotency}, for example to measure it: {@link
 * Idempotency.Builder#observer}. Batches and resolutions are not observed. Implementations must be thread-safe.
 *
 * <p>An observer cannot change an outcome: the caller gets what the call returned or threw, regardless of what the
 * observer throws. If the observer does not make the call, it is made without it.
 */
@FunctionalInterface
public interface CallObserver {

    /**
     * Makes a call on this thread.
     *
     * @param operation the operation's name
     * @param call makes the call, once; throws what the work throws, including checked exceptions
     */
    void observe(String operation, Supplier<? extends Outcome<?>> call);

    /**
     * Starts a call whose work completes later. By default, such calls are not observed.
     *
     * @param operation the operation's name
     * @param call starts the call, once; its stage completes like the caller's
     */
    default void observeAsync(String operation, Supplier<? extends CompletionStage<? extends Outcome<?>>> call) {
        Object unused = call.get();
    }

    /**
     * Wraps the clock that calls pause with, so that the observer can see pauses. By default, returns it unchanged.
     *
     * @param clock the clock
     * @return the clock, or one that delegates to it
     */
    default IdempotencyClock observing(IdempotencyClock clock) {
        return clock;
    }
}
