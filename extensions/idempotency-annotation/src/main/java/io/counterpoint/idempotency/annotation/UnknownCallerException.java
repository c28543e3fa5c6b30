package io.counterpoint.idempotency.annotation;

import io.counterpoint.idempotency.internal.Symptom;

/** Thrown if the caller of an {@link Idempotent} method is unknown. Nothing was claimed, and the method did not run. */
public final class UnknownCallerException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message what was found and what to do, without the value
     */
    public UnknownCallerException(String message) {
        super(Symptom.CALLER_UNKNOWN.of(message));
    }
}
