package io.counterpoint.idempotency.spi;

import org.jspecify.annotations.Nullable;

/**
 * An exception of a store: what it was doing, and what the database's reply proves. The database's own text may
 * contain keys and values, so it stays in the cause. Callers encounter it only outside calls, for example in {@link
 * IdempotencyStore#checkTable}; a call throws an {@link io.counterpoint.idempotency.IdempotencyException} with this as
 * the cause.
 */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What the answer proves. */
    private final Fault fault;

    /**
     * A fault of the store.
     *
     * @param doing what the store was doing, without keys and values
     * @param fault what the answer proves
     * @param cause the driver's exception, if any
     */
    public StoreException(String doing, Fault fault, @Nullable Throwable cause) {
        super(doing, cause);
        this.fault = fault;
    }

    /**
     * What the answer proves.
     *
     * @return the kind of fault
     */
    public Fault fault() {
        return fault;
    }
}
