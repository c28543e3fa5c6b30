package io.counterpoint.idempotency;

import io.counterpoint.idempotency.internal.Symptom;

/**
 * Thrown when a call is made inside another call or inside a transaction of the caller. Nothing was started. A rollback
 * of the outer one would not undo the inner call, and both would need a connection: make the calls one after the other.
 */
public final class NestedCallException extends MisuseException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message what was found, and what to do
     */
    public NestedCallException(String message) {
        super(Symptom.CALLED_INSIDE.of(message));
    }
}
