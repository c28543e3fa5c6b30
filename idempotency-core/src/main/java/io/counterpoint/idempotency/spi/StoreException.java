package io.counterpoint.idempotency.spi;

import org.jspecify.annotations.Nullable;

/**
 * What a store throws of its own: what it was doing, and what the answer of the database proves. The database's own text may
 * contain keys and values, so it stays in the cause. Callers meet it where a store is asked apart from a call, such as by
 * {@link IdempotencyStore#checkTable}; a call that it ends throws an
 * {@link io.counterpoint.idempotency.IdempotencyException} with this as the cause.
 */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What the answer proves. */
    private final Fault fault;

    /**
     * A fault of the store.
     *
     * @param doing what it was doing, without keys and values
     * @param fault what the answer proves
     * @param cause what the driver threw, if it threw
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
