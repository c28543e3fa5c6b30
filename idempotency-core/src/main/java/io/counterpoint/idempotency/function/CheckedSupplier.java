package io.counterpoint.idempotency.function;

/**
 * A {@link java.util.function.Supplier} that may throw.
 *
 * @param <R> the type of the result
 * @param <X> the type of the exception
 */
@FunctionalInterface
public interface CheckedSupplier<R, X extends Exception> {
    /**
     * Returns a result.
     *
     * @return the result
     * @throws X if it fails
     */
    R get() throws X;
}
