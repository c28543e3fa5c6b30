package io.counterpoint.idempotency;

/**
 * Thrown when the library rejects a call, or a store rejects its database, because of how the application is set up: an
 * operation is called inside a transaction, a connection arrives with an open transaction, a database has no dialect.
 * Only the library throws it. A call that throws it has started nothing; if one of its own writes is in doubt, the call
 * resolves that first and ends with {@link OutcomeUnknownException}, with this exception as its cause.
 *
 * <p>An {@link IllegalStateException} of another class comes from a pool, a driver or the caller's own code.
 */
public class MisuseException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message what was found, and what to do
     */
    public MisuseException(String message) {
        super(message);
    }
}
