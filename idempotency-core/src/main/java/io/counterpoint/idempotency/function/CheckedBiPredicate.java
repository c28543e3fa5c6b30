package io.counterpoint.idempotency.function;

/**
 * A {@link java.util.function.BiPredicate} that may throw.
 *
 * @param <T> the type of the first argument
 * @param <U> the type of the second argument
 * @param <X> the type of the exception
 */
@FunctionalInterface
public interface CheckedBiPredicate<T, U, X extends Exception> {
    /**
     * Evaluates this predicate.
     *
     * @param first the first argument
     * @param second the second argument
     * @return whether the arguments match
     * @throws X if it fails
     */
    boolean test(T first, U second) throws X;
}
