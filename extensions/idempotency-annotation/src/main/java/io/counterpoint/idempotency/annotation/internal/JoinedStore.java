package io.counterpoint.idempotency.annotation.internal;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.Session;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** A store that the application defines, whose transactions the writes of annotated methods have to join. */
public final class JoinedStore {

    private enum Transaction {
        NONE,
        OF_THE_FRAMEWORK,
        OF_ITS_OWN
    }

    private volatile boolean proven;

    /** Returns whether the store has been seen to begin such a transaction. */
    public boolean isProven() {
        return proven;
    }

    /** Does without a proof, for a store that the integration has made. */
    public void trust() {
        proven = true;
    }

    /**
     * Begins a transaction of the store before it claims a first key, and rolls it back. If the store does not respond,
     * the call that follows reports it.
     *
     * @param isJoined receives the handle, and decides whether the transaction is one of the framework's
     * @param refusal is thrown if it is not
     */
    public <C> void require(
            IdempotencyStore<C> store,
            IdempotencyKey key,
            Predicate<? super C> isJoined,
            Supplier<InvalidIdempotentMethodException> refusal) {
        AtomicReference<Transaction> found = new AtomicReference<>(Transaction.NONE);
        try (Session<C> session = store.storeFor(key).open(key)) {
            session.inTransaction((steps, scope) -> {
                found.set(isJoined.test(scope.handle()) ? Transaction.OF_THE_FRAMEWORK : Transaction.OF_ITS_OWN);
                throw new IllegalStateException("Rolls back.");
            });
        } catch (RuntimeException rolledBack) {
            proven = found.get() == Transaction.OF_THE_FRAMEWORK;
        }
        if (found.get() == Transaction.OF_ITS_OWN) {
            throw refusal.get();
        }
    }
}
