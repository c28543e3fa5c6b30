package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.CallObserver;
import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import org.jspecify.annotations.Nullable;

/**
 * What all operations on one store share.
 *
 * @param <C> the handle that domain code gets
 * @param store the store
 * @param listener receives events; {@code NONE} if nothing does
 * @param clock bounds waits and pauses
 * @param recentKeys guesses which keys have a record
 * @param unfinished the calls of this process that have ended and may have left a {@code Pending} record
 * @param places limits the calls of this process that wait for one key
 * @param definitions detects operations that share a name
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
     * Creates an environment in which nothing has happened yet.
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
     * Returns whether anything receives events.
     *
     * @return false for {@code NONE}
     */
    public boolean hasListener() {
        return listener != IdempotencyListener.NONE;
    }
}
