package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.annotation.Idempotent;

/** The caller of an {@link Idempotent} method is not known. Nothing was claimed, and the method did not run. */
public final class UnknownCallerException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    UnknownCallerException(String message) {
        super(message);
    }
}
