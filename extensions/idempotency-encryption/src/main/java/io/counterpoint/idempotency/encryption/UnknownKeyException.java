package io.counterpoint.idempotency.encryption;

/**
 * The stored result was encrypted with a key that is not configured. Add the key for decryption; the result is
 * unchanged.
 */
public final class UnknownKeyException extends ResultEncryptionException {
    private static final long serialVersionUID = 1L;

    /** The identifier that the stored result names. */
    private final String keyId;

    UnknownKeyException(String keyId, String message) {
        super(message, null);
        this.keyId = keyId;
    }

    /**
     * Returns the identifier of the key that is missing.
     *
     * @return the identifier as stored; it is not authenticated
     */
    public String keyId() {
        return keyId;
    }
}
