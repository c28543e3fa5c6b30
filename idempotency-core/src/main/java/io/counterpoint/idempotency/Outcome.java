package io.counterpoint.idempotency;

import io.counterpoint.idempotency.internal.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a call, as its caller sees it.
 *
 * <p>{@link Completed} carries the result, no matter which call produced it. {@link InProgress}: a leader may be at
 * work or may have died, and nothing is proven; retry with the same key. {@link Rejected}: the attempt failed
 * permanently; use a new key. {@link KeyReused}: the key belongs to a different request. {@link #fold} handles all
 * four; {@link #orElseThrow} returns the result or throws a typed exception. {@code toString} shows neither results nor
 * keys.
 *
 * <p>Two outcomes are equal if they have the same class and equal keys and results, ages or failures. {@link
 * #suppressedFailure} is not compared, because it says nothing about the key; this is why outcomes are not records.
 *
 * @param <R> the type of the result
 */
public abstract sealed class Outcome<R> {

    private final IdempotencyKey key;

    /** The result, the failure, or how long and for what to wait; an empty string if there is nothing. */
    private final Object content;

    /** Set before the object is published. */
    private @Nullable Throwable suppressedFailure;

    private Outcome(IdempotencyKey key, Object content) {
        this.key = key;
        this.content = content;
    }

    /**
     * Returns the key of the call.
     *
     * @return the key
     */
    public final IdempotencyKey key() {
        return key;
    }

    /**
     * Returns what this caller's own work threw before another leader's result turned out to be final. The effects of
     * that work are rolled back and the outcome is not affected; the exception is kept here so that it is not lost.
     *
     * @return the exception; almost always empty
     */
    public final Optional<Throwable> suppressedFailure() {
        return Optional.ofNullable(suppressedFailure);
    }

    /**
     * Returns an equal outcome with a different {@link #suppressedFailure}.
     *
     * @param thrown what the caller's own work threw
     * @return the outcome for this caller
     */
    public final Outcome<R> withSuppressedFailure(Throwable thrown) {
        Outcome<R> copy = mapped(result -> result);
        copy.suppressedFailure = thrown;
        return copy;
    }

    /** An outcome of the same kind with a mapped result and without a suppressed failure. */
    final <T> Outcome<T> mapped(Function<? super R, ? extends T> view) {
        return fold(
                completed -> this instanceof Executed
                        ? new Executed<>(key, view.apply(completed.result()))
                        : this instanceof Replayed
                                ? new Replayed<>(key, view.apply(completed.result()))
                                : new Healed<>(key, view.apply(completed.result())),
                inProgress -> new InProgress<>(key, inProgress.age(), inProgress.ending()),
                rejected -> new Rejected<>(key, rejected.failure()),
                keyReused -> new KeyReused<>(key));
    }

    /**
     * Handles every case.
     *
     * @param <T> what the handlers return
     * @param completed handles a committed effect
     * @param inProgress handles an attempt that is not settled yet
     * @param rejected handles a permanent failure
     * @param keyReused handles a key that belongs to a different request
     * @return what the handler of this case returned
     */
    public final <T> T fold(
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
     * Returns whether the result comes from an earlier call and this call did no work of its own.
     *
     * @return true for {@link Replayed} and {@link Healed}
     */
    public final boolean isReplay() {
        return this instanceof Replayed || this instanceof Healed;
    }

    /**
     * Returns the result, if there is one.
     *
     * @return the result of a {@link Completed}
     */
    public final Optional<R> asOptional() {
        return fold(
                completed -> Optional.of(completed.result()),
                inProgress -> Optional.empty(),
                rejected -> Optional.empty(),
                keyReused -> Optional.empty());
    }

    /**
     * Returns the result or throws a typed exception.
     *
     * @return the result of a {@link Completed}
     * @throws InProgressException for {@link InProgress}
     * @throws RejectedException for {@link Rejected}
     * @throws KeyReusedException for {@link KeyReused}
     */
    public final R orElseThrow() {
        return this.<R>fold(
                Completed::result,
                inProgress -> {
                    throw attached(new InProgressException(key(), inProgress.age(), inProgress.ending()));
                },
                rejected -> {
                    throw attached(new RejectedException(key(), rejected.failure(), null));
                },
                keyReused -> {
                    throw attached(new KeyReusedException(key()));
                });
    }

    private <X extends IdempotencyException> X attached(X exception) {
        suppressedFailure().ifPresent(exception::addSuppressed);
        return exception;
    }

    @Override
    public final boolean equals(@Nullable Object other) {
        return other instanceof Outcome<?> that
                && getClass() == that.getClass()
                && key.equals(that.key)
                && content.equals(that.content);
    }

    @Override
    public final int hashCode() {
        return Objects.hash(key, content);
    }

    @Override
    public final String toString() {
        String shown = this instanceof Completed || this instanceof KeyReused ? "" : ", " + content;
        return getClass().getSimpleName() + "[" + key + shown + "]";
    }

    /**
     * The effect is committed. Its result is the same for every caller of the key.
     *
     * @param <R> the type of the result
     */
    public abstract static sealed class Completed<R> extends Outcome<R> {

        private Completed(IdempotencyKey key, R result) {
            super(key, result);
        }

        /**
         * Returns the result.
         *
         * @return the result, never null
         */
        @SuppressWarnings("unchecked") // the constructor takes an R
        public final R result() {
            return (R) super.content;
        }
    }

    /**
     * This call was the leader and its effect is committed.
     *
     * @param <R> the type of the result
     */
    public static final class Executed<R> extends Completed<R> {

        /**
         * Creates the outcome of a leader.
         *
         * @param key the key
         * @param result the result
         */
        public Executed(IdempotencyKey key, R result) {
            super(key, result);
        }
    }

    /**
     * An earlier call did the work; this is its stored result.
     *
     * @param <R> the type of the result
     */
    public static final class Replayed<R> extends Completed<R> {

        /**
         * Creates the outcome of a call that did no work.
         *
         * @param key the key
         * @param result the stored result
         */
        public Replayed(IdempotencyKey key, R result) {
            super(key, result);
        }
    }

    /**
     * An earlier call did the work but died before it could record its success. The lookup found the effect, and the
     * record has been repaired, or will be by the next call.
     *
     * @param <R> the type of the result
     */
    public static final class Healed<R> extends Completed<R> {

        /**
         * Creates the outcome of a call whose lookup found the effect.
         *
         * @param key the key
         * @param result the result that was found
         */
        public Healed(IdempotencyKey key, R result) {
            super(key, result);
        }
    }

    /**
     * A leader may be at work or may have died, and nothing is proven. Retry with the same key.
     *
     * @param <R> the type of the result
     */
    public static final class InProgress<R> extends Outcome<R> {

        /**
         * Creates the outcome of a call that found an unfinished attempt.
         *
         * @param key the key
         * @param age the time since the leader's last change
         * @param ending what settles the attempt if its leader is gone
         */
        public InProgress(IdempotencyKey key, Duration age, Ending ending) {
            super(key, new State(age, ending));
        }

        /**
         * Returns the time since the leader's last change, by the store's clock.
         *
         * @return the time; zero if the leader's record is not visible yet
         */
        public Duration age() {
            return ((State) super.content).age;
        }

        /**
         * Returns what settles the attempt if its leader has died.
         *
         * @return whether later calls settle it, or only a lookup or an operator
         */
        public Ending ending() {
            return ((State) super.content).ending;
        }

        private record State(Duration age, Ending ending) {
            @Override
            public String toString() {
                return "last change " + Durations.text(age) + " ago. " + ending.text;
            }
        }
    }

    /** What settles an unfinished attempt whose leader has died. */
    public enum Ending {
        /** A later call, by the rules of the operation: its claim, or {@link Operation.Builder#whenAbandoned}. */
        LATER_CALL("If its leader has died, a later call with this key settles it"),
        /**
         * Only a lookup that finds the effect, or an operator. This is the case for external effects, for {@link
         * Operation.Abandoned#LEAVE}, and if the work ended its own transaction.
         */
        NEEDS_OPERATOR("If its leader has died, only its lookup or an operator settles it");

        final String text;

        Ending(String text) {
            this.text = text;
        }
    }

    /**
     * The attempt failed permanently and had no effect. A new key is needed to try again.
     *
     * @param <R> the type of the result
     */
    public static final class Rejected<R> extends Outcome<R> {

        /**
         * Creates the outcome of a failed attempt.
         *
         * @param key the key
         * @param failure why
         */
        public Rejected(IdempotencyKey key, Failure failure) {
            super(key, failure);
        }

        /**
         * Returns why the attempt failed.
         *
         * @return the stored failure
         */
        public Failure failure() {
            return (Failure) super.content;
        }
    }

    /**
     * The key belongs to a different request. Nothing was done, and the outcome reveals nothing about the other
     * request.
     *
     * @param <R> the type of the result
     */
    public static final class KeyReused<R> extends Outcome<R> {

        /**
         * Creates the outcome of a call that used the key of a different request.
         *
         * @param key the key
         */
        public KeyReused(IdempotencyKey key) {
            super(key, "");
        }
    }
}
