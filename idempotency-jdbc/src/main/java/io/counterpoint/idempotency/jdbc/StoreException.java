package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.spi.IdempotencyStore.Fault;
import org.jspecify.annotations.Nullable;

/** What the store itself throws: what it was doing, and what the database's answer proves. */
final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Fault fault;

    StoreException(String doing, Fault fault, @Nullable Throwable cause) {
        super(cause == null ? doing : doing + ": " + cause.getMessage(), cause);
        this.fault = fault;
    }

    Fault fault() {
        return fault;
    }
}
