package io.counterpoint.idempotency.admin;

import org.jspecify.annotations.Nullable;

/** An administrative task could not be carried out. Messages name no key, scope, payload or password. */
public abstract sealed class AdministrationException extends RuntimeException
        permits DatabaseException, NotFoundException, RefusedException {
    private static final long serialVersionUID = 1L;

    AdministrationException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
