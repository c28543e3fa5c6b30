package io.counterpoint.idempotency.admin;

import org.jspecify.annotations.Nullable;

/** Thrown if something could not be inspected or done. Messages contain no key, scope, payload or password. */
public abstract sealed class AdministrationException extends RuntimeException
        permits DatabaseException, NotFoundException, RefusedException {
    private static final long serialVersionUID = 1L;

    AdministrationException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
