package io.counterpoint.idempotency.jackson;

/** A type that has no strict JSON codec. Thrown when the codec is created, before any call. */
public final class RefusedTypeException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    RefusedTypeException(String message) {
        super(message);
    }
}
