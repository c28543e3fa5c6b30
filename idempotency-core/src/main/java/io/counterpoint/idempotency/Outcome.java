package io.counterpoint.idempotency;

import io.counterpoint.idempotency.engine.OwnFailures;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/**
 * What a caller learns about its attempt.
 *
 * <p>{@link Completed} carries the result, no matter which call produced it. {@link InProgress}: a leader may be at
 * work, or died and nothing is proven; ask again with the same key. {@link Rejected}: the attempt failed for good, use
 * a new key. {@link KeyReused}: the key belongs to another request. {@link #fold} handles all four;
 * {@link #orElseThrow} gives the result or a typed exception. {@code toString} shows neither results nor keys.
 * Two outcomes are equal if they are of one kind, and key, result, age or failure are equal.
 *
 * @param <R> the type of the result
 */
public sealed interface Outcome<R> {

    /**
     * The key that was asked for.
     *
     * @return the key
     */
    IdempotencyKey key();

    /**
     * What this caller's own work threw before it turned out that another leader's answer stands. Its effects are rolled
     * back and the answer is not affected; it is here so that it is not lost. It belongs to the object that the call has
     * returned, and not to what the object says: an equal one, or a copy, may have another or none.
     *
     * @return the thrown object, nearly always empty
     */
    default Optional<Throwable> ownFailure() {
        return OwnFailures.of(this);
    }

    /**
     * Handles every case.
     *
     * @param <T> what the handlers return
     * @param completed the effect is there
     * @param inProgress nothing is certain yet
     * @param rejected the attempt failed for good
     * @param keyReused the key belongs to another request
     * @return what the handler of this case returned
     */
    default <T> T fold(
            Function<? super Completed<R>, ? extends T> completed,
            Function<? super InProgress<R>, ? extends T> inProgress,
            Function<? super Rejected<R>, ? extends T> rejected,
            Function<? super KeyReused<R>, ? extends T> keyReused) {
        if (this instanceof Completed<R> one) {
            return completed.apply(one);
        }
        if (this instanceof InProgress<R> one) {
            return inProgress.apply(one);
        }
        if (this instanceof Rejected<R> one) {
            return rejected.apply(one);
        }
        return keyReused.apply((KeyReused<R>) this);
    }

    /**
     * Whether the result comes from an earlier call, and this call did no work of its own.
     *
     * @return true for {@link Replayed} and {@link Healed}
     */
    default boolean isReplay() {
        return false;
    }

    /**
     * The result, if there is one.
     *
     * @return the result of a {@link Completed}
     */
    default Optional<R> asOptional() {
        return fold(
                completed -> Optional.of(completed.result()),
                inProgress -> Optional.empty(),
                rejected -> Optional.empty(),
                keyReused -> Optional.empty());
    }

    /**
     * The result, or a typed exception.
     *
     * @return the result of a {@link Completed}
     * @throws IdempotencyException.InProgressException for {@link InProgress}
     * @throws IdempotencyException.RejectedException for {@link Rejected}
     * @throws IdempotencyException.KeyReusedException for {@link KeyReused}
     */
    default R orElseThrow() {
        return this.<R>fold(
                Completed::result,
                inProgress -> {
                    throw attached(new IdempotencyException.InProgressException(key(), inProgress.age()));
                },
                rejected -> {
                    throw attached(new IdempotencyException.RejectedException(key(), rejected.failure()));
                },
                keyReused -> {
                    throw attached(new IdempotencyException.KeyReusedException(key()));
                });
    }

    private <X extends IdempotencyException> X attached(X exception) {
        ownFailure().ifPresent(exception::addSuppressed);
        return exception;
    }

    /**
     * The effect is committed and this is its result: the same for every caller of the key.
     *
     * @param <R> the type of the result
     */
    sealed interface Completed<R> extends Outcome<R> {

        /**
         * The result.
         *
         * @return the result, never null
         */
        R result();
    }

    /**
     * This call was the leader and its effect is committed.
     *
     * @param <R> the type of the result
     * @param key the key
     * @param result the result
     */
    record Executed<R>(IdempotencyKey key, R result) implements Completed<R> {
        @Override
        public String toString() {
            return "Executed[" + key + "]";
        }
    }

    /**
     * An earlier call did the work; this is its stored result.
     *
     * @param <R> the type of the result
     * @param key the key
     * @param result the result
     */
    record Replayed<R>(IdempotencyKey key, R result) implements Completed<R> {
        @Override
        public boolean isReplay() {
            return true;
        }

        @Override
        public String toString() {
            return "Replayed[" + key + "]";
        }
    }

    /**
     * An earlier call did the work and died before it could say so. The lookup found the effect, and the record is
     * repaired, or will be by the next call.
     *
     * @param <R> the type of the result
     * @param key the key
     * @param result the result
     */
    record Healed<R>(IdempotencyKey key, R result) implements Completed<R> {
        @Override
        public boolean isReplay() {
            return true;
        }

        @Override
        public String toString() {
            return "Healed[" + key + "]";
        }
    }

    /**
     * A leader may be at work, or died and nothing is proven. Ask again with the same key.
     *
     * @param <R> the type of the result
     * @param key the key
     * @param age the time since the leader's last change, in the store's time; zero where the leader's record is not
     *     visible yet
     */
    record InProgress<R>(IdempotencyKey key, Duration age) implements Outcome<R> {}

    /**
     * The attempt failed for good and has no effect. A new key is needed to try again.
     *
     * @param <R> the type of the result
     * @param key the key
     * @param failure why
     */
    record Rejected<R>(IdempotencyKey key, Failure failure) implements Outcome<R> {}

    /**
     * The key belongs to another request. Nothing was done, and the answer shows nothing of the other request.
     *
     * @param <R> the type of the result
     * @param key the key
     */
    record KeyReused<R>(IdempotencyKey key) implements Outcome<R> {}
}
