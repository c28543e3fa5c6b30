package io.counterpoint.idempotency;

import io.counterpoint.idempotency.IdempotencyException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Thrown for a result that cannot be stored: null, rejected by its codec, or larger than the operation allows. A plan
 * is rejected before the claim, so nothing has started. After the claim, the work is rolled back and the attempt has
 * failed.
 */
public final class UnstorableResultException extends IdempotencyException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception; public so that exception handlers can be tested.
     *
     * @param reason the reason, one of this class
     * @param key the key of the call
     * @param cause what was thrown, if anything was
     */
    public UnstorableResultException(Reason reason, IdempotencyKey key, @Nullable Throwable cause) {
        this(reason, key, reason.what(), cause);
    }

    /**
     * Creates an exception with its own message.
     *
     * @param reason the reason, one of this class
     * @param key the key of the call
     * @param what what happened, without secrets: a sentence without a final period
     * @param cause what was thrown, if anything was
     */
    public UnstorableResultException(Reason reason, IdempotencyKey key, String what, @Nullable Throwable cause) {
        super(reason, key, what, cause);
    }
}
