package io.counterpoint.idempotency;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Operation#execute} throws on its own account, and {@link Outcome#orElseThrow} for an outcome without
 * result. What the caller's own work throws is rethrown as the same object instead.
 *
 * <p>Messages name the operation and the hashed key, never the key, the scope or a result.
 */
public abstract sealed class IdempotencyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final IdempotencyKey key;

    private IdempotencyException(IdempotencyKey key, String message, @Nullable Throwable cause) {
        super(key + ": " + message, cause);
        this.key = key;
    }

    /**
     * The key that was asked for.
     *
     * @return the key
     */
    public IdempotencyKey key() {
        return key;
    }

    /**
     * Whether asking again with the same key can give another answer.
     *
     * @return true if it can
     */
    public abstract boolean retryable();

    /** A leader may be at work, or died and nothing is proven: {@link Outcome.InProgress}. */
    public static final class InProgressException extends IdempotencyException {
        private static final long serialVersionUID = 1L;

        InProgressException(IdempotencyKey key, Duration age) {
            super(
                    key,
                    "this attempt is not settled: its leader may be at work, or gone; its last change was "
                            + age.toMillis()
                            + " ms ago. Ask again with the same key. If the answer stays, an external effect waits for"
                            + " its lookup or an operator.",
                    null);
        }

        @Override
        public boolean retryable() {
            return true;
        }
    }

    /** The attempt failed for good: {@link Outcome.Rejected}. */
    public static final class RejectedException extends IdempotencyException {
        private static final long serialVersionUID = 1L;

        private final Failure failure;

        RejectedException(IdempotencyKey key, Failure failure) {
            super(
                    key,
                    "this attempt failed for good (" + failure.code()
                            + ") and has no effect; use a new key to try again.",
                    null);
            this.failure = failure;
        }

        /**
         * Why it failed.
         *
         * @return the stored failure
         */
        public Failure failure() {
            return failure;
        }

        @Override
        public boolean retryable() {
            return false;
        }
    }

    /** The key belongs to another request: {@link Outcome.KeyReused}. */
    public static final class KeyReusedException extends IdempotencyException {
        private static final long serialVersionUID = 1L;

        KeyReusedException(IdempotencyKey key) {
            super(
                    key,
                    "this key was used for another request; use a new key for a new request. If it is the same request,"
                            + " something in it differs at each try, such as a time stamp: leave that out of the request"
                            + " that the attempt carries.",
                    null);
        }

        @Override
        public boolean retryable() {
            return false;
        }
    }

    /**
     * Nothing was learned: the effect may be there or not. Where {@link #retryable}, ask again with the same key. The
     * answer will be exact as soon as the store can be reached and, for an external effect, the lookup finds it. Where
     * not, a part of the effect may be committed without its record, and somebody has to look.
     */
    public static final class OutcomeUnknownException extends IdempotencyException {
        private static final long serialVersionUID = 1L;

        /** Whether to ask again with the same key. */
        private final boolean retryable;

        /**
         * Makes one, for tests of handlers too.
         *
         * @param key the key that was asked for
         * @param what what happened, without secrets
         * @param cause what was thrown, if anything was
         */
        public OutcomeUnknownException(IdempotencyKey key, String what, @Nullable Throwable cause) {
            this(key, what + "; the outcome is unknown, ask again with the same key.", cause, true);
        }

        private OutcomeUnknownException(
                IdempotencyKey key, String message, @Nullable Throwable cause, boolean retryable) {
            super(key, message, cause);
            this.retryable = retryable;
        }

        /**
         * Makes one that no retry can answer.
         *
         * @param key the key that was asked for
         * @param what what happened, and what the key has now, without secrets
         * @param cause what was thrown, if anything was
         * @return the exception, which is not {@link #retryable}
         */
        public static OutcomeUnknownException unresolved(IdempotencyKey key, String what, @Nullable Throwable cause) {
            return new OutcomeUnknownException(
                    key,
                    what + "; the outcome is unknown. Do not ask again, with this key or another, before somebody has"
                            + " looked whether the effect is there.",
                    cause,
                    false);
        }

        @Override
        public boolean retryable() {
            return retryable;
        }
    }

    /**
     * The store could not be asked, so nothing was claimed and the work has not begun. Or, under {@link
     * Operation.Protocol#RECORD_LAST}, each run of the work was rolled back for what it met. The key can be used again.
     */
    public static final class NotStartedException extends IdempotencyException {
        private static final long serialVersionUID = 1L;

        private final boolean retryable;

        /**
         * Makes one, for tests of handlers too.
         *
         * @param key the key that was asked for
         * @param what what happened, without secrets
         * @param cause what was thrown, if anything was
         */
        public NotStartedException(IdempotencyKey key, String what, @Nullable Throwable cause) {
            this(key, what + "; this call has done nothing, ask again with the same key.", cause, true);
        }

        private NotStartedException(IdempotencyKey key, String message, @Nullable Throwable cause, boolean retryable) {
            super(key, message, cause);
            this.retryable = retryable;
        }

        /**
         * Makes one that asking again does not help before somebody has acted, for tests of handlers too.
         *
         * @param key the key that was asked for
         * @param what what is wrong, and what to do, without secrets
         * @param cause what was thrown, if anything was
         * @return the exception, which is not {@link #retryable}
         */
        public static NotStartedException unlessMended(IdempotencyKey key, String what, @Nullable Throwable cause) {
            return new NotStartedException(
                    key,
                    what
                            + "; this call has done nothing. Asking again, with this key or another, does not help before.",
                    cause,
                    false);
        }

        @Override
        public boolean retryable() {
            return retryable;
        }
    }

    /**
     * A result that cannot be stored: null, refused by its codec, or larger than the operation allows. A result known
     * before the claim is refused there, and nothing has started; later, the work is rolled back and the attempt failed.
     */
    public static final class UnstorableResultException extends IdempotencyException {
        private static final long serialVersionUID = 1L;

        /**
         * Makes one, for tests of handlers too.
         *
         * @param key the key that was asked for
         * @param what what happened, without secrets
         * @param cause what was thrown, if anything was
         */
        public UnstorableResultException(IdempotencyKey key, String what, @Nullable Throwable cause) {
            super(key, what, cause);
        }

        @Override
        public boolean retryable() {
            return false;
        }
    }

    /**
     * The effect is committed, and its stored result, or the plan of one that may be, cannot be read: the codec refuses
     * the bytes or none were stored. The record is unchanged and the work never runs again. A lookup by key would read
     * the result from the domain.
     */
    public static final class UndecodableException extends IdempotencyException {
        private static final long serialVersionUID = 1L;

        /**
         * Makes one, for tests of handlers too.
         *
         * @param key the key that was asked for
         * @param what what happened, without secrets
         * @param cause what was thrown, if anything was
         */
        public UndecodableException(IdempotencyKey key, String what, @Nullable Throwable cause) {
            super(key, what, cause);
        }

        @Override
        public boolean retryable() {
            return false;
        }
    }
}
