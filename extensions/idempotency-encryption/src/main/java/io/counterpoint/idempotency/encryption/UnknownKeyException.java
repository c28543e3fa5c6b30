package io.counterpoint.idempotency.encryption;

/** Thrown if the stored result refers to an unknown key. Add the key for decryption; the result is unchanged. */
public final class UnknownKeyException extends ResultEncryptionException {
    private static final long serialVersionUID = 1L;

    /** The identifier in the stored result. */
    private final String keyId;

    UnknownKeyException(String keyId, String message) {
        super(message, null);
        this.keyId = keyId;
    }

    /**
     * Returns the identifier of the missing key.
     *
     * @return the identifier as stored, which is not authenticated
     */
    public String keyId() {
        return keyId;
    }
}
