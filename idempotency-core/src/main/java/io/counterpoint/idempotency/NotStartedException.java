package io.counterpoint.idempotency;

import io.counterpoint.idempotency.IdempotencyException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * The work was not started, or every run of it was rolled back; the key can be used again. If it is not {@link
 * #isRetryable}, something must be fixed first.
 */
public final class NotStartedException extends IdempotencyException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception; public so that exception handlers can be tested.
     *
     * @param reason the reason, one of this class
     * @param key the key of the call
     * @param cause what was thrown, if anything was
     */
    public NotStartedException(Reason reason, IdempotencyKey key, @Nullable Throwable cause) {
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
    public NotStartedException(Reason reason, IdempotencyKey key, String what, @Nullable Throwable cause) {
        super(reason, key, what, cause);
    }
}
