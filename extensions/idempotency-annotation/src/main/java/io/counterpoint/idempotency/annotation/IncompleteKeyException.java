package io.counterpoint.idempotency.annotation;

import io.counterpoint.idempotency.internal.Symptom;

/**
 * Thrown if the key of an {@link Idempotent} method is computed from a missing value, because all requests without it
 * would share the key. Nothing was claimed, and the method did not run.
 */
public final class IncompleteKeyException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message what was found and what to do, without the value
     */
    public IncompleteKeyException(String message) {
        super(Symptom.KEY_INCOMPLETE.of(message));
    }
}
