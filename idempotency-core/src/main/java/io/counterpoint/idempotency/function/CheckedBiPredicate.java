package io.counterpoint.idempotency.function;

/**
 * A {@link java.util.function.BiPredicate} that may throw.
 *
 * @param <T> what it takes first
 * @param <U> what it takes second
 * @param <X> what it throws
 */
@FunctionalInterface
public interface CheckedBiPredicate<T, U, X extends Exception> {
    /**
     * Decides.
     *
     * @param first what it takes first
     * @param second what it takes second
     * @return its answer
     * @throws X what it throws
     */
    boolean test(T first, U second) throws X;
}
