package io.counterpoint.idempotency.spi;

import org.jspecify.annotations.Nullable;

/**
 * The exception of a store: what it was doing, and what the database's reply proves. The database's own text may
 * contain keys and values, so it stays in the cause. Callers encounter this exception when they use a store outside a
 * call, such as with {@link IdempotencyStore#checkTable}; a call that it ends throws an {@link
 * io.counterpoint.idempotency.IdempotencyException} with this as the cause.
 */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What the database's reply proves. */
    private final Fault fault;

    /**
     * Creates an exception.
     *
     * @param doing what the store was doing, without keys and values
     * @param fault what the database's reply proves
     * @param cause the exception thrown by the driver, if any
     */
    public StoreException(String doing, Fault fault, @Nullable Throwable cause) {
        super(doing, cause);
        this.fault = fault;
    }

    /**
     * Returns what the database's reply proves.
     *
     * @return the kind of fault
     */
    public Fault fault() {
        return fault;
    }
}
