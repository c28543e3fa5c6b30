package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.annotation.Idempotent;

/**
 * The key of an {@link Idempotent} method is made from a value that is missing, so all requests without it would share the
 * key. Nothing was claimed, and the method did not run.
 */
public final class IncompleteKeyException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    IncompleteKeyException(String message) {
        super(message);
    }
}
