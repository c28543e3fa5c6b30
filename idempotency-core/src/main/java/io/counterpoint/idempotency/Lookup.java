package io.counterpoint.idempotency;

import java.util.Objects;
import java.util.Optional;

/**
 * What the provider reports about an external attempt whose outcome is unknown.
 *
 * @param <R> the result
 */
public sealed interface Lookup<R> {

    /**
     * The effect exists.
     *
     * @param <R> the result
     * @param result its result
     */
    record Found<R>(R result) implements Lookup<R> {
        /**
         * Checks that there is a result.
         *
         * @param result its result
         */
        public Found {
            Objects.requireNonNull(result, "result");
        }

        @Override
        public String toString() {
            return "Found[]";
        }
    }

    /**
     * The attempt has not taken effect, or not yet. This proves nothing: the record stays as it is.
     *
     * @param <R> the result
     */
    record NotYet<R>() implements Lookup<R> {}

    /**
     * The provider has refused permanently: it remembers the refusal under this key and responds to every later request
     * in the same way.
     *
     * @param <R> the result
     * @param failure what is stored, and returned to every retry
     */
    record Refused<R>(Failure failure) implements Lookup<R> {
        /**
         * Checks that there is a failure.
         *
         * @param failure what is stored
         */
        public Refused {
            Objects.requireNonNull(failure, "failure");
        }
    }

    /**
     * The effect exists.
     *
     * @param <R> the result
     * @param result its result
     * @return the result of the lookup
     */
    static <R> Lookup<R> found(R result) {
        return new Found<>(result);
    }

    /**
     * The attempt has not taken effect, or not yet, which proves nothing.
     *
     * @param <R> the result
     * @return the result of the lookup
     */
    static <R> Lookup<R> notYet() {
        return new NotYet<>();
    }

    /**
     * The provider has refused permanently under this key: every later request gets the same refusal.
     *
     * @param <R> the result
     * @param failure what is stored, and returned to every retry
     * @return the result of the lookup
     */
    static <R> Lookup<R> refused(Failure failure) {
        return new Refused<>(failure);
    }

    /**
     * Returns the outcome of a search that may have found the effect.
     *
     * @param <R> the result
     * @param result the result of the effect, if it was found
     * @return {@link #found} or {@link #notYet}
     */
    static <R> Lookup<R> of(Optional<R> result) {
        return result.<Lookup<R>>map(Found::new).orElseGet(NotYet::new);
    }

    /**
     * Returns the result, if the effect was found.
     *
     * @return the result, if any
     */
    default Optional<R> asOptional() {
        return this instanceof Found<R> found ? Optional.of(found.result()) : Optional.empty();
    }
}
