package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.annotation.Idempotent;

/**
 * Thrown when an {@link Idempotent} method takes its key from the HTTP request but the request has none. Nothing was
 * claimed, and the method did not run.
 */
public final class MissingKeyException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    MissingKeyException(String message) {
        super(message);
    }
}
