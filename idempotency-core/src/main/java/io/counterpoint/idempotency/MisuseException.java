package io.counterpoint.idempotency;

/**
 * The library rejects a call, or a store rejects its database, because of how the application is set up: an operation
 * is called inside a transaction, a pool returns a connection with an open transaction, or a database has no dialect.
 * Only the library throws it. A call that throws it has started nothing. If one of the call's writes is in doubt, the
 * call resolves that first and throws an {@link OutcomeUnknownException} with this as its cause.
 *
 * <p>An {@link IllegalStateException} of another class comes from a pool, a driver or the caller's own code.
 */
public class MisuseException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /**
     * A refusal.
     *
     * @param message what was found, and what to do
     */
    public MisuseException(String message) {
        super(message);
    }
}
