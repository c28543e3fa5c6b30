package io.counterpoint.idempotency.encryption;

import org.jspecify.annotations.Nullable;

/** Thrown if a stored result cannot be decrypted. Messages show identifiers of keys, never a key or a result. */
public abstract sealed class ResultEncryptionException extends RuntimeException
        permits NotEncryptedException, TamperedException, UnknownKeyException {
    private static final long serialVersionUID = 1L;

    ResultEncryptionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
