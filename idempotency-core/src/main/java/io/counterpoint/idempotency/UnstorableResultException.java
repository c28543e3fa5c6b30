package io.counterpoint.idempotency;

import io.counterpoint.idempotency.IdempotencyException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * A result that cannot be stored: null, refused by its codec, or larger than the operation allows. A plan is refused
 * before the claim, and nothing has started. After it the work is rolled back and the attempt failed.
 */
public final class UnstorableResultException extends IdempotencyException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception, also for tests of handlers.
     *
     * @param reason the reason, one of this class
     * @param key the key that was asked for
     * @param cause what was thrown, if anything was
     */
    public UnstorableResultException(Reason reason, IdempotencyKey key, @Nullable Throwable cause) {
        this(reason, key, reason.what(), cause);
    }

    /**
     * Creates an exception with a message of its own.
     *
     * @param reason the reason, one of this class
     * @param key the key that was asked for
     * @param what what happened, without secrets: a sentence without a full stop
     * @param cause what was thrown, if anything was
     */
    public UnstorableResultException(Reason reason, IdempotencyKey key, String what, @Nullable Throwable cause) {
        super(reason, key, what, cause);
    }
}
