package io.counterpoint.idempotency.function;

/**
 * A {@link java.util.function.BiFunction} that may throw.
 *
 * @param <T> the type of the first argument
 * @param <U> the type of the second argument
 * @param <R> the type of the result
 * @param <X> the type of the exception
 */
@FunctionalInterface
public interface CheckedBiFunction<T, U, R, X extends Exception> {
    /**
     * Applies this function.
     *
     * @param first the first argument
     * @param second the second argument
     * @return the result
     * @throws X if it fails
     */
    R apply(T first, U second) throws X;
}
