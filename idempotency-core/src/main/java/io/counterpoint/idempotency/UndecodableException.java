package io.counterpoint.idempotency;

import io.counterpoint.idempotency.IdempotencyException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * The stored result of a committed effect, or the plan of one that may be committed, cannot be read: the codec rejects
 * the bytes, or none were stored. The record is unchanged and the work never runs again. A lookup by key can read the
 * result from the domain instead.
 */
public final class UndecodableException extends IdempotencyException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception; public so that exception handlers can be tested.
     *
     * @param reason the reason, one of this class
     * @param key the key of the call
     * @param cause what was thrown, if anything was
     */
    public UndecodableException(Reason reason, IdempotencyKey key, @Nullable Throwable cause) {
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
    public UndecodableException(Reason reason, IdempotencyKey key, String what, @Nullable Throwable cause) {
        super(reason, key, what, cause);
    }
}
