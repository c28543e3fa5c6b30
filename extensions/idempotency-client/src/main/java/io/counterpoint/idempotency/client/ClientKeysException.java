package io.counterpoint.idempotency.client;

import org.jspecify.annotations.Nullable;

/** Thrown if the table of keys could not be read or written. For this reason, no request was sent. */
public final class ClientKeysException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ClientKeysException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
