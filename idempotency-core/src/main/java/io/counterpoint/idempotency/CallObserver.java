package io.counterpoint.idempotency;

import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Observes every call of the operations of one {@link Idempotency}, for example to measure it: {@link
 * Idempotency.Builder#observer}. Batches and resolutions are not calls. Threads share it.
 *
 * <p>It changes no outcome: a caller gets what the call has returned or thrown, whatever the observer returns or throws. A
 * call that the observer has not made is made without it.
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
     * @param call begins the call, once. Its stage completes as the caller's does
     */
    default void observeAsync(String operation, Supplier<? extends CompletionStage<? extends Outcome<?>>> call) {
        Object unused = call.get();
    }

    /**
     * The clock by which calls pause, so that the observer learns of pauses. By default unchanged.
     *
     * @param clock the clock
     * @return it, or one that forwards to it
     */
    default IdempotencyClock observing(IdempotencyClock clock) {
        return clock;
    }
}
