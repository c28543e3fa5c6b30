package io.counterpoint.idempotency;

import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.spi.StoreException;
import org.jspecify.annotations.Nullable;

/** The attempt failed permanently: {@link Outcome.Rejected}. */
public final class RejectedException extends IdempotencyException {
    private static final long serialVersionUID = 1L;

    /** Why the attempt failed. */
    private final Failure failure;

    /**
     * Creates an exception; public so that exception handlers can be tested.
     *
     * @param key the key of the call
     * @param failure why the attempt failed
     * @param cause the exception thrown by the store, if this call is the one that failed
     */
    public RejectedException(IdempotencyKey key, Failure failure, @Nullable StoreException cause) {
        super(
                Reason.FAILED,
                key,
                Reason.FAILED.what() + " (" + failure.code() + ")" + (cause == null ? "" : ": " + cause.getMessage()),
                cause);
        this.failure = failure;
    }

    /**
     * Returns why the attempt failed.
     *
     * @return the stored failure
     */
    public Failure failure() {
        return failure;
    }
}
