package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.BatchAttempt;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * The user's work for attempts of a batch.
 *
 * @param <C> the handle that domain code gets
 * @param <R> the type of the result
 */
@FunctionalInterface
public interface BatchCode<C, R> {

    /**
     * Does the work.
     *
     * @param handle gives the handle
     * @param leading the attempts to work on, in the order of the call
     * @param begins gets the place in that list of each attempt whose own work begins; work for all together calls it
     *     not
     * @return the results, in the same order
     * @throws Exception whatever the user's code throws
     */
    List<R> run(Supplier<C> handle, List<BatchAttempt> leading, IntConsumer begins) throws Exception;
}
