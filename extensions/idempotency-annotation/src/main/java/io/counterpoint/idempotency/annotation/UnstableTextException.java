package io.counterpoint.idempotency.annotation;

import io.counterpoint.idempotency.internal.Symptom;

/**
 * A key, a scope or a caller is identified by an object whose text may differ between tries, so each retry would be a
 * new request. Nothing was claimed, and the method did not run. This is a bug in the application: retrying fails the
 * same way.
 */
public final class UnstableTextException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /**
     * Rejects a value.
     *
     * @param message what was found, and what to do; never the value
     */
    public UnstableTextException(String message) {
        super(Symptom.KEY_INCOMPLETE.of(message));
    }
}
