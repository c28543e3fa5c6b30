package io.counterpoint.idempotency.function;

/**
 * A {@link java.util.function.BiConsumer} that may throw.
 *
 * @param <T> what it takes first
 * @param <U> what it takes second
 * @param <X> what it throws
 */
@FunctionalInterface
public interface CheckedBiConsumer<T, U, X extends Exception> {
    /**
     * Does its work.
     *
     * @param first what it takes first
     * @param second what it takes second
     * @throws X what it throws
     */
    void accept(T first, U second) throws X;
}
