package io.counterpoint.idempotency;

import io.counterpoint.idempotency.IdempotencyException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * A result cannot be stored: it is null, its codec rejects it, or it is larger than the operation allows. A plan is
 * rejected before the claim, so nothing has started. A result is rejected after the claim: the work is rolled back, and
 * the attempt has failed.
 */
public final class UnstorableResultException extends IdempotencyException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception, also for tests of handlers.
     *
     * @param reason the reason, one of this class
     * @param key the key of the call
     * @param cause the cause, if there is one
     */
    public UnstorableResultException(Reason reason, IdempotencyKey key, @Nullable Throwable cause) {
        this(reason, key, reason.what(), cause);
    }

    /**
     * Creates an exception with its own message.
     *
     * @param reason the reason, one of this class
     * @param key the key of the call
     * @param what what happened, without secrets: a sentence without a full stop
     * @param cause the cause, if there is one
     */
    public UnstorableResultException(Reason reason, IdempotencyKey key, String what, @Nullable Throwable cause) {
        super(reason, key, what, cause);
    }
}
