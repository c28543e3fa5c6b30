package io.counterpoint.idempotency.annotation;

import io.counterpoint.idempotency.internal.Symptom;

/**
 * Thrown if a key, a scope or a caller is identified by an object whose text may differ between tries, because each
 * retry would be a new request. Nothing was claimed, and the method did not run. This is a bug in the application:
 * retrying has the same result.
 */
public final class UnstableTextException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message what was found and what to do, without the value
     */
    public UnstableTextException(String message) {
        super(Symptom.KEY_INCOMPLETE.of(message));
    }
}
