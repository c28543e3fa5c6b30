package io.counterpoint.idempotency.jakarta;

/**
 * Thrown if code that joined the transaction of an operation marked it as rollback-only and the work did not throw.
 * Nothing of the work is committed.
 */
public final class RollbackOnlyException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    RollbackOnlyException() {
        super("Code that joined the transaction of an idempotent operation marked it as rollback-only, but the work"
                + " did not throw. Rethrow that code's exception from the work, or name it in dontRollbackOn.");
    }
}
