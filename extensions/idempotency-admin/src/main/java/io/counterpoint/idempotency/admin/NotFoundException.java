package io.counterpoint.idempotency.admin;

/** Thrown if there is no record with that key or hash. Nothing was changed. */
public final class NotFoundException extends AdministrationException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception. */
    public NotFoundException() {
        super("There is no record of this key. It was never claimed, or it was purged.", null);
    }
}
