package io.counterpoint.idempotency.jakarta;

/**
 * Thrown when the work of an operation tries to do something in a separate transaction, or in none, which would persist
 * even if the operation fails. Nothing of that has begun. If the work lets this exception propagate, the operation
 * fails.
 */
public final class SeparateTransactionException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    SeparateTransactionException(String method, String kind) {
        super("The work of an idempotent operation called " + method + ", which is @Transactional(" + kind + "), so"
                + " its changes would persist even if the operation fails. Use REQUIRED, or call it after the"
                + " operation.");
    }
}
