package io.counterpoint.idempotency.encryption;

/** Thrown if the stored bytes are not an encrypted result. */
public final class NotEncryptedException extends ResultEncryptionException {
    private static final long serialVersionUID = 1L;

    NotEncryptedException(String message) {
        super(message, null);
    }
}
