package io.counterpoint.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when no fingerprint can be computed for a request, because a number, a text, a nesting depth or the size
 * exceeds the bounds. Nothing was claimed or changed, and the same request will be rejected again.
 */
public final class InvalidRequestException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    InvalidRequestException(@Nullable String message) {
        super(message);
    }
}
