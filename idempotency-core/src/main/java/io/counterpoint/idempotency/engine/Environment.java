package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.CallObserver;
import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import org.jspecify.annotations.Nullable;

/**
 * What all operations over one store share.
 *
 * @param <C> the handle that domain code gets
 * @param store the store
 * @param listener receives what happens; {@code NONE} if nothing does
 * @param clock bounds waits and pauses
 * @param recentKeys guesses which keys have a record
 * @param unfinished knows the calls of this process that have ended and may have left a {@code Pending} record
 * @param places bounds the calls of this process that wait at one key
 * @param definitions knows which operations share a name
 * @param observer sees every call; null if nothing does
 */
public record Environment<C>(
        IdempotencyStore<C> store,
        IdempotencyListener listener,
        IdempotencyClock clock,
        RecentKeys recentKeys,
        UnfinishedAttempts unfinished,
        WaitingCallers places,
        Definitions definitions,
        @Nullable CallObserver observer) {

    /**
     * An environment in which nothing has happened yet.
     *
     * @param store the store
     * @param listener receives events
     * @param clock bounds waits and pauses
     * @param observer sees every call; null if nothing does
     */
    public Environment(
            IdempotencyStore<C> store,
            IdempotencyListener listener,
            IdempotencyClock clock,
            @Nullable CallObserver observer) {
        this(
                store,
                listener,
                clock,
                new RecentKeys(),
                new UnfinishedAttempts(),
                new WaitingCallers(),
                new Definitions(),
                observer);
    }

    /**
     * Whether anybody receives events.
     *
     * @return false for {@code NONE}
     */
    public boolean hasListener() {
        return listener != IdempotencyListener.NONE;
    }
}
