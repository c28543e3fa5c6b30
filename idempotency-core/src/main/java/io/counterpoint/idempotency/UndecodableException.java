package io.counterpoint.idempotency;

import io.counterpoint.idempotency.IdempotencyException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * The stored result of a committed effect cannot be read, or the plan of one that may be committed: the codec refuses
 * the bytes or none were stored. The record is unchanged and the work never runs again. A lookup by key would read the
 * result from the domain.
 */
public final class UndecodableException extends IdempotencyException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception, also for tests of handlers.
     *
     * @param reason the reason, one of this class
     * @param key the key that was asked for
     * @param cause what was thrown, if anything was
     */
    public UndecodableException(Reason reason, IdempotencyKey key, @Nullable Throwable cause) {
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
    public UndecodableException(Reason reason, IdempotencyKey key, String what, @Nullable Throwable cause) {
        super(reason, key, what, cause);
    }
}
