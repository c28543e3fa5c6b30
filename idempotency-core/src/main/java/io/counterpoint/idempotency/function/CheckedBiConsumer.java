package io.counterpoint.idempotency.function;

/**
 * A {@link java.util.function.BiConsumer} that may throw.
 *
 * @param <T> the type of the first argument
 * @param <U> the type of the second argument
 * @param <X> the type of the exception
 */
@FunctionalInterface
public interface CheckedBiConsumer<T, U, X extends Exception> {
    /**
     * Performs this operation.
     *
     * @param first the first argument
     * @param second the second argument
     * @throws X if it fails
     */
    void accept(T first, U second) throws X;
}
