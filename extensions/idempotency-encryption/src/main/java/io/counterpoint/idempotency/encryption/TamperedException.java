package io.counterpoint.idempotency.encryption;

/**
 * The stored bytes, the context or the key is not the one with which the result was encrypted. Somebody has changed the
 * row, or two keys have the same identifier.
 */
public final class TamperedException extends ResultEncryptionException {
    private static final long serialVersionUID = 1L;

    TamperedException(String message, Throwable cause) {
        super(message, cause);
    }
}
