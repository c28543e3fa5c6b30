package io.counterpoint.idempotency.spi;

import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The scope of user code within one transaction: the handle passed to it, and the hooks for a framework. A framework
 * binds its own transaction before the work, flushes deferred writes before the result is encoded, and unbinds at the
 * end.
 *
 * <p>The engine executes {@link #beforeWork}, the work, {@link #beforeEncoding}, the encoding, {@link #beforeMark}, the
 * mark, the end of the transaction and then {@link #afterEnd}, all on one thread. An exception before the mark counts
 * as the work's own: the transaction is rolled back. A user's lookup goes through the same sequence, except for the
 * mark.
 *
 * @param <C> the handle that domain code gets
 */
public interface WorkScope<C> {

    /** How a transaction ended. */
    enum End {
        /** The database acknowledged the commit. */
        COMMITTED,
        /** Nothing is committed. */
        ROLLED_BACK,
        /** The commit was sent, but its reply was lost. */
        UNKNOWN
    }

    /**
     * Returns the handle for domain code in this transaction. It cannot be used to end the transaction.
     *
     * @return the handle
     */
    C handle();

    /** Runs before the work. By default, does nothing, like the other hooks. */
    default void beforeWork() {}

    /** Runs after the work has returned, before its result is encoded. */
    default void beforeEncoding() {}

    /** Runs before the record is marked. */
    default void beforeMark() {}

    /**
     * Returns whether the work may run a second time in this call, after a run whose effects were rolled back. Objects
     * that the work changed may outlive the transaction, such as entities of a session that its caller opened, and a
     * rollback does not restore them. The engine checks this before each run. If the work may not run again, a
     * transient fault releases the key and is thrown to the caller.
     *
     * @return true by default
     */
    default boolean mayRunAgain() {
        return true;
    }

    /**
     * Runs after the end of the transaction if {@link #beforeWork} was called, even if that threw. An exception does
     * not change the outcome, and {@link Session#close} rolls back anything that this hook begins in the database.
     *
     * @param end how the transaction ended
     */
    default void afterEnd(End end) {}

    /**
     * Returns a scope without a framework.
     *
     * @param <C> the handle that domain code gets
     * @param handle creates the handle, or returns an existing one
     * @return the scope
     */
    static <C> WorkScope<C> of(Supplier<? extends C> handle) {
        return handle::get;
    }

    /**
     * Returns a view of this scope with a different type of handle.
     *
     * @param <D> the handle that domain code gets
     * @param view derives that handle from this scope's
     * @return the scope
     */
    default <D> WorkScope<D> mapped(Function<? super C, ? extends D> view) {
        @SuppressWarnings("unchecked") // only its handle has that type, and it is replaced here
        WorkScope<D> forwarded = (WorkScope<D>) this;
        return new ForwardingStore.ForwardingScope<>(forwarded) {
            @Override
            public D handle() {
                return view.apply(WorkScope.this.handle());
            }
        };
    }
}
