package io.counterpoint.idempotency;

import io.counterpoint.idempotency.IdempotencyException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * The outcome is unknown: the effect may or may not have happened. If {@link #isRetryable}, retry with the same key;
 * the outcome becomes definite once the store is reachable and, for an external effect, the lookup finds it. Otherwise
 * part of the effect may be committed without its record, and an operator has to check.
 */
public final class OutcomeUnknownException extends IdempotencyException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception, also for tests of handlers.
     *
     * @param reason the reason, one of this class
     * @param key the key of the call
     * @param cause the cause, if there is one
     */
    public OutcomeUnknownException(Reason reason, IdempotencyKey key, @Nullable Throwable cause) {
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
    public OutcomeUnknownException(Reason reason, IdempotencyKey key, String what, @Nullable Throwable cause) {
        super(reason, key, what, cause);
    }
}
