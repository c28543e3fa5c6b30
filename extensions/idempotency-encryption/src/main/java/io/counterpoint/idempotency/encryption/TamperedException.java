package io.counterpoint.idempotency.encryption;

/**
 * Thrown if the stored bytes, the context or the key differ from those used for encryption. The row was modified, or
 * two keys have the same identifier.
 */
public final class TamperedException extends ResultEncryptionException {
    private static final long serialVersionUID = 1L;

    TamperedException(String message, Throwable cause) {
        super(message, cause);
    }
}
