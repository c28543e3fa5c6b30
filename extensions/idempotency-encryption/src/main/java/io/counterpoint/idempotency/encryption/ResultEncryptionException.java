package io.counterpoint.idempotency.encryption;

import org.jspecify.annotations.Nullable;

/** A stored result that cannot be decrypted. Messages show identifiers of keys, never a key or a result. */
public abstract sealed class ResultEncryptionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private ResultEncryptionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** The stored result names a key that is not here. Add the key for reading; the result is unchanged. */
    public static final class UnknownKeyException extends ResultEncryptionException {
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
         * @return the identifier, as it was stored: it is not authenticated
         */
        public String keyId() {
            return keyId;
        }
    }

    /**
     * The stored bytes, the context or the key is not what the result was encrypted with. Somebody has changed the row, or
     * two keys have the same identifier.
     */
    public static final class TamperedException extends ResultEncryptionException {
        private static final long serialVersionUID = 1L;

        TamperedException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** The stored bytes are not an encrypted result. */
    public static final class NotEncryptedException extends ResultEncryptionException {
        private static final long serialVersionUID = 1L;

        NotEncryptedException(String message) {
            super(message, null);
        }
    }
}
