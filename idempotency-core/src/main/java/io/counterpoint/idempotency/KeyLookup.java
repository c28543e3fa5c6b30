package io.counterpoint.idempotency;

import java.util.Optional;

/**
 * Finds the result of an attempt in the domain.
 *
 * @param <C> the handle
 * @param <R> the result
 */
@FunctionalInterface
public interface KeyLookup<C, R> {
    /**
     * Looks for the effect of the attempt, by its key and never by resemblance.
     *
     * @param handle a transaction on the primary database
     * @param key the key, which the work stored with the effect
     * @return the result, if the effect is there
     * @throws Exception if that cannot be found out; the record stays as it is
     */
    Optional<R> find(C handle, IdempotencyKey key) throws Exception;
}
