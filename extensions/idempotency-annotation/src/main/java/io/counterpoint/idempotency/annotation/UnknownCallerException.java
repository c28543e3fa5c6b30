package io.counterpoint.idempotency.annotation;

import io.counterpoint.idempotency.internal.Symptom;

/** The caller of an {@link Idempotent} method is unknown. Nothing was claimed, and the method did not run. */
public final class UnknownCallerException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /**
     * Rejects a call.
     *
     * @param message what was found, and what to do; never the value
     */
    public UnknownCallerException(String message) {
        super(Symptom.CALLER_UNKNOWN.of(message));
    }
}
