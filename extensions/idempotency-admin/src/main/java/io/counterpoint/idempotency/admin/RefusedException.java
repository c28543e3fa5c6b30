package io.counterpoint.idempotency.admin;

/** A request is not possible in this form. Nothing was changed. */
public final class RefusedException extends AdministrationException {
    private static final long serialVersionUID = 1L;

    /**
     * A refusal.
     *
     * @param message what was expected, what was found, and what to do
     */
    public RefusedException(String message) {
        super(message, null);
    }

    RefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
