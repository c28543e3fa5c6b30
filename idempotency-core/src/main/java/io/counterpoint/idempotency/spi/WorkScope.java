package io.counterpoint.idempotency.spi;

import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The user's code within one transaction: the handle that it gets, and the points at which a framework takes part. A
 * framework binds its own transaction before the work, flushes pending changes before the result is encoded, and
 * unbinds at the end.
 *
 * <p>The engine calls {@link #beforeWork}, the work, {@link #beforeEncoding}, the encoding, {@link #beforeMark}, the
 * mark and the end of the transaction, and then {@link #afterEnd}, all on one thread. An exception before the mark is
 * the work's own exception: the transaction is rolled back. A user's lookup passes the same points, except the mark.
 *
 * @param <C> the handle that domain code gets
 */
public interface WorkScope<C> {

    /** How a transaction ended. */
    enum End {
        /** The reply to its commit arrived. */
        COMMITTED,
        /** Nothing is committed. */
        ROLLED_BACK,
        /** Its commit was sent, but the reply was lost. */
        UNKNOWN
    }

    /**
     * The handle for domain code in this transaction. It refuses to end the transaction.
     *
     * @return the handle
     */
    C handle();

    /** Runs before the work. By default: nothing, as in the others. */
    default void beforeWork() {}

    /** Runs after the work has returned, before its result is encoded. */
    default void beforeEncoding() {}

    /** Runs before the record is marked. */
    default void beforeMark() {}

    /**
     * Whether the work may run a second time in this call, after a run whose effects were rolled back. Objects that the
     * work changed may outlive the transaction, such as entities of a session that its caller has opened: a rollback
     * does not restore them. The engine asks before each run. If the work may not run again, a transient fault releases
     * the key and is thrown to the caller.
     *
     * @return true by default
     */
    default boolean mayRunAgain() {
        return true;
    }

    /**
     * Runs after the end of the transaction, if {@link #beforeWork} was called, even if that threw. An exception does
     * not change the outcome, and {@link Session#close} rolls back anything that it begins in the database.
     *
     * @param end how the transaction ended
     */
    default void afterEnd(End end) {}

    /**
     * A scope without a framework.
     *
     * @param <C> the handle that domain code gets
     * @param handle creates the handle, or returns the existing one
     * @return the scope
     */
    static <C> WorkScope<C> of(Supplier<? extends C> handle) {
        return handle::get;
    }

    /**
     * Returns this scope with another view of its handle.
     *
     * @param <D> the handle that domain code gets
     * @param view creates that handle from this scope's
     * @return the scope
     */
    default <D> WorkScope<D> mapped(Function<? super C, ? extends D> view) {
        @SuppressWarnings("unchecked") // Its handle is the only one of that type, and has another here.
        WorkScope<D> forwarded = (WorkScope<D>) this;
        return new ForwardingStore.ForwardingScope<>(forwarded) {
            @Override
            public D handle() {
                return view.apply(WorkScope.this.handle());
            }
        };
    }
}
