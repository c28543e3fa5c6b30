package io.counterpoint.idempotency.function;

/**
 * A {@link java.util.function.BiFunction} that may throw.
 *
 * @param <T> what it takes first
 * @param <U> what it takes second
 * @param <R> what it returns
 * @param <X> what it throws
 */
@FunctionalInterface
public interface CheckedBiFunction<T, U, R, X extends Exception> {
    /**
     * Applies this function.
     *
     * @param first what it takes first
     * @param second what it takes second
     * @return its result
     * @throws X what it throws
     */
    R apply(T first, U second) throws X;
}
