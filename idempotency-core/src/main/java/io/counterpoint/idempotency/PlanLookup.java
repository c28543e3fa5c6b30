package io.counterpoint.idempotency;

/**
 * Finds out whether a plan was carried out.
 *
 * @param <C> the handle
 * @param <R> the plan
 */
@FunctionalInterface
public interface PlanLookup<C, R> {
    /**
     * Looks for what was planned, by its identifiers and never by resemblance.
     *
     * @param handle a transaction on the primary database
     * @param plan the stored plan
     * @return whether it is there
     * @throws Exception if that cannot be found out; the record stays as it is
     */
    boolean isThere(C handle, R plan) throws Exception;
}
