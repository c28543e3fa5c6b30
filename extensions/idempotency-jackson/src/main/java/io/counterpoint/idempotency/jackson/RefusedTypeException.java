package io.counterpoint.idempotency.jackson;

/** Thrown for a type without a strict JSON codec, when the codec is created and therefore before any call. */
public final class RefusedTypeException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    RefusedTypeException(String message) {
        super(message);
    }
}
