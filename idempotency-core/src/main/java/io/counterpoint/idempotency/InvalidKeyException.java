package io.counterpoint.idempotency;

/** A part of a key is not valid; nothing was claimed or changed. */
public final class InvalidKeyException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    InvalidKeyException(String message) {
        super(message);
    }
}
