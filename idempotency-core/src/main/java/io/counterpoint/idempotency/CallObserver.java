package io.counterpoint.idempotency;

import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Observes every call of the operations of one {@link Idempotency}, for example to measure it: {@link
 * Idempotency.Builder#observer}. Batches and resolutions are not calls. Threads share it.
 *
 * <p>It cannot change an outcome: the caller gets whatever the call returned or threw, regardless of what the observer
 * returns or throws. If the observer does not make the call, it is made without the observer.
 */
@FunctionalInterface
public interface CallObserver {

    /**
     * Makes a call on this thread.
     *
     * @param operation the operation's name
     * @param call makes the call, once; it throws what the work throws, checked exceptions too
     */
    void observe(String operation, Supplier<? extends Outcome<?>> call);

    /**
     * Starts a call whose work completes later. By default it is not observed.
     *
     * @param operation the operation's name
     * @param call begins the call, once. Its stage completes when the caller's does, and in the same way
     */
    default void observeAsync(String operation, Supplier<? extends CompletionStage<? extends Outcome<?>>> call) {
        Object unused = call.get();
    }

    /**
     * Wraps the clock that calls use to pause, so that the observer sees pauses. By default unchanged.
     *
     * @param clock the clock
     * @return the clock, or one that forwards to it
     */
    default IdempotencyClock observing(IdempotencyClock clock) {
        return clock;
    }
}
