package io.counterpoint.idempotency;

import io.counterpoint.idempotency.internal.Rethrow;
import java.util.Optional;
import java.util.function.Function;

/**
 * How one attempt of a batch ended: with the outcome that {@link Operation#execute} would have returned, or with the
 * object that it would have thrown.
 *
 * @param <R> the type of the result
 */
public sealed interface BatchResult<R> {

    /**
     * Returns the key of the attempt.
     *
     * @return the key
     */
    IdempotencyKey key();

    /**
     * Handles both cases.
     *
     * @param <T> what the handlers return
     * @param answered handles an outcome
     * @param thrown handles an attempt without an outcome; gets what was thrown
     * @return what the handler of this case returned
     */
    default <T> T fold(
            Function<? super Outcome<R>, ? extends T> answered, Function<? super Throwable, ? extends T> thrown) {
        return this instanceof Answered<R> one
                ? answered.apply(one.outcome())
                : thrown.apply(((Thrown<R>) this).thrown());
    }

    /**
     * Returns the outcome, if there is one.
     *
     * @return the outcome; empty for {@link Thrown}
     */
    default Optional<Outcome<R>> asOptional() {
        return fold(Optional::of, thrown -> Optional.empty());
    }

    /**
     * Returns the outcome, or throws this attempt's exception: the same object, even if it is checked.
     *
     * @return the outcome
     */
    default Outcome<R> orElseThrow() {
        return this.<Outcome<R>>fold(outcome -> outcome, thrown -> {
            throw Rethrow.unchanged(thrown);
        });
    }

    /**
     * An attempt with an outcome.
     *
     * @param <R> the type of the result
     * @param outcome the outcome
     */
    record Answered<R>(Outcome<R> outcome) implements BatchResult<R> {
        @Override
        public IdempotencyKey key() {
            return outcome.key();
        }
    }

    /**
     * An attempt without an outcome. An exception of the work means that the attempt failed; an {@link
     * IdempotencyException} describes what happened.
     *
     * @param <R> the type of the result
     * @param key the key of the attempt
     * @param thrown what {@link Operation#execute} would have thrown
     */
    record Thrown<R>(IdempotencyKey key, Throwable thrown) implements BatchResult<R> {}
}
