package io.counterpoint.idempotency.admin;

/** Thrown if a request is invalid or cannot be carried out. Nothing was changed. */
public final class RefusedException extends AdministrationException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message what was expected, what was found and what to do
     */
    public RefusedException(String message) {
        super(message, null);
    }

    RefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
