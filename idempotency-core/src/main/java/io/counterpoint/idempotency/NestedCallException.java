package io.counterpoint.idempotency;

import io.counterpoint.idempotency.internal.Symptom;

/**
 * A call was made inside another call, or inside a transaction of the caller. Nothing was started. A rollback of the
 * outer one would not undo the call, and each would need a connection: call one after the other.
 */
public final class NestedCallException extends MisuseException {
    private static final long serialVersionUID = 1L;

    /**
     * A refusal.
     *
     * @param message what was found, and what to do
     */
    public NestedCallException(String message) {
        super(Symptom.CALLED_INSIDE.of(message));
    }
}
