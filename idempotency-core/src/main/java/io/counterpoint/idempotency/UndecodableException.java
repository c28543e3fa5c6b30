package io.counterpoint.idempotency;

import io.counterpoint.idempotency.IdempotencyException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * The stored result of a committed effect cannot be read, or the plan of an effect that may be committed: the codec
 * rejects the bytes, or none were stored. The record is unchanged and the work never runs again. A lookup by key would
 * read the result from the domain.
 */
public final class UndecodableException extends IdempotencyException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception, also for tests of handlers.
     *
     * @param reason the reason, one of this class
     * @param key the key of the call
     * @param cause the cause, if there is one
     */
    public UndecodableException(Reason reason, IdempotencyKey key, @Nullable Throwable cause) {
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
    public UndecodableException(Reason reason, IdempotencyKey key, String what, @Nullable Throwable cause) {
        super(reason, key, what, cause);
    }
}
