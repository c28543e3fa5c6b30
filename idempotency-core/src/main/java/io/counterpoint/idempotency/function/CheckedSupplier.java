package io.counterpoint.idempotency.function;

/**
 * A {@link java.util.function.Supplier} that may throw.
 *
 * @param <R> what it returns
 * @param <X> what it throws
 */
@FunctionalInterface
public interface CheckedSupplier<R, X extends Exception> {
    /**
     * Returns its result.
     *
     * @return its result
     * @throws X what it throws
     */
    R get() throws X;
}
