package io.counterpoint.idempotency.function;

/**
 * A {@link java.util.function.Function} that may throw.
 *
 * @param <T> what it takes
 * @param <R> what it returns
 * @param <X> what it throws
 */
@FunctionalInterface
public interface CheckedFunction<T, R, X extends Exception> {
    /**
     * Applies this function.
     *
     * @param value what it takes
     * @return its result
     * @throws X what it throws
     */
    R apply(T value) throws X;
}
