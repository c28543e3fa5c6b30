package io.counterpoint.idempotency.jakarta;

/**
 * The work of an operation tried to do something in a separate transaction, or without one. That would persist even if
 * the operation fails. It has not begun. If the work does not catch this exception, the operation fails.
 */
public final class SeparateTransactionException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    SeparateTransactionException(String method, String kind) {
        super("The work of an idempotent operation called " + method + ", which is @Transactional(" + kind + "), so"
                + " its changes would persist even if the operation fails. Use REQUIRED, or call it after the"
                + " operation.");
    }
}
