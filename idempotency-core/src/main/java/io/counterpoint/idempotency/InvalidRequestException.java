package io.counterpoint.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * No fingerprint can be computed for a request, because a number, a text, its nesting or its size exceeds the limits.
 * Nothing was claimed or changed, and the same request is always rejected.
 */
public final class InvalidRequestException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    InvalidRequestException(@Nullable String message) {
        super(message);
    }
}
