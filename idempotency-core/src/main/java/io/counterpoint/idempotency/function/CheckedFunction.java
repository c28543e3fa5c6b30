package io.counterpoint.idempotency.function;

/**
 * A {@link java.util.function.Function} that may throw.
 *
 * @param <T> the type of the argument
 * @param <R> the type of the result
 * @param <X> the type of the exception
 */
@FunctionalInterface
public interface CheckedFunction<T, R, X extends Exception> {
    /**
     * Applies this function.
     *
     * @param value the argument
     * @return the result
     * @throws X if it fails
     */
    R apply(T value) throws X;
}
