package io.counterpoint.idempotency;

/**
 * The library refuses a call, or a store refuses its database, because of how the application is set up: an operation
 * called inside a transaction, a connection that comes with an open transaction, a database without a dialect. Only
 * the library throws it. A call that throws it has started nothing; once a write of its own is in doubt, the call
 * resolves that first and ends with {@link OutcomeUnknownException}, whose cause this is.
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
