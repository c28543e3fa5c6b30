package io.counterpoint.idempotency;

/** A part of a key that is refused; nothing has been claimed or changed. */
public final class InvalidKeyException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    InvalidKeyException(String message) {
        super(message);
    }
}
