package io.counterpoint.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * No fingerprint can be computed for a request: a number, a text, a nesting or a size that is beyond the bounds.
 * Nothing has been claimed or changed, and the same request is refused again.
 */
public final class InvalidRequestException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    InvalidRequestException(@Nullable String message) {
        super(message);
    }
}
