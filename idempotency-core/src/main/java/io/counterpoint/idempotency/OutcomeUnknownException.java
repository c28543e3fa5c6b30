package io.counterpoint.idempotency;

import io.counterpoint.idempotency.IdempotencyException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * The outcome is unknown: the effect may or may not exist. If {@link #isRetryable}, retry with the same key: you get a
 * definite outcome as soon as the store is reachable and, for an external effect, the lookup finds it. Otherwise part
 * of the effect may be committed without its record, and an operator has to check.
 */
public final class OutcomeUnknownException extends IdempotencyException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception; public so that exception handlers can be tested.
     *
     * @param reason the reason, one of this class
     * @param key the key of the call
     * @param cause what was thrown, if anything was
     */
    public OutcomeUnknownException(Reason reason, IdempotencyKey key, @Nullable Throwable cause) {
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
    public OutcomeUnknownException(Reason reason, IdempotencyKey key, String what, @Nullable Throwable cause) {
        super(reason, key, what, cause);
    }
}
