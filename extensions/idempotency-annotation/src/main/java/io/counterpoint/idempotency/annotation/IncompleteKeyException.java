package io.counterpoint.idempotency.annotation;

import io.counterpoint.idempotency.internal.Symptom;

/**
 * The key of an {@link Idempotent} method is computed from a missing value, so all requests without it would share the
 * key. Nothing was claimed, and the method did not run.
 */
public final class IncompleteKeyException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /**
     * Rejects a call.
     *
     * @param message what was found, and what to do; never the value
     */
    public IncompleteKeyException(String message) {
        super(Symptom.KEY_INCOMPLETE.of(message));
    }
}
