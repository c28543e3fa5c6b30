package io.counterpoint.idempotency;

import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Sees every call of the operations over one {@link Idempotency}, for example to measure it: {@link
 * Idempotency.Builder#observer}. Batches and resolutions are not calls. Threads share it.
 */
public interface CallObserver {

    /**
     * Makes a call, once, on this thread, and returns or throws what it does, the same object.
     *
     * @param <R> the type of the result
     * @param operation the operation's name
     * @param call makes the call; it throws what the work throws, checked exceptions too
     * @return what the call returned
     */
    <R> Outcome<R> observe(String operation, Supplier<Outcome<R>> call);

    /**
     * Begins a call whose work ends later. By default it is not observed.
     *
     * @param <R> the type of the result
     * @param operation the operation's name
     * @param call begins the call
     * @return what the call returned, or a stage that completes alike
     */
    default <R> CompletionStage<Outcome<R>> observeAsync(String operation, Supplier<CompletionStage<Outcome<R>>> call) {
        return call.get();
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
