package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.IdempotencyKey;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Where callers of this process who want to claim the same key stand in line, before they borrow a connection: a storm of
 * duplicates would hold the whole pool otherwise, waiting in the database for one of them. Who leads is decided there
 * all the same; whoever has waited long enough goes on without a turn.
 */
final class Line {

    private final ConcurrentMap<IdempotencyKey, Turns> keys = new ConcurrentHashMap<>();

    /**
     * Waits for this caller's turn at a key. An interrupt ends the wait, and is kept.
     *
     * @return to be ended when the caller is done with the key
     */
    Turn stand(IdempotencyKey key, Duration patience) {
        Turns turns = keys.compute(key, (unused, present) -> (present == null ? new Turns() : present).joined());
        try {
            boolean later = !turns.free.tryAcquire();
            boolean held = !later || acquired(turns.free, patience);
            return new Turn(key, turns, later, held);
        } catch (RuntimeException | Error thrown) {
            leave(key);
            throw thrown;
        }
    }

    private void leave(IdempotencyKey key) {
        keys.computeIfPresent(key, (unused, present) -> present.left());
    }

    /** How many keys somebody claims at this moment. */
    int size() {
        return keys.size();
    }

    private static boolean acquired(Semaphore free, Duration patience) {
        try {
            return free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Of one key, while there are callers. */
    private static final class Turns {
        final Semaphore free = new Semaphore(1);
        /** Guarded by the map. */
        private int callers;

        Turns joined() {
            callers++;
            return this;
        }

        @Nullable
        Turns left() {
            return --callers == 0 ? null : this;
        }
    }

    /** One caller's. */
    final class Turn {
        private final IdempotencyKey key;
        private final Turns turns;
        private final boolean later;
        private final boolean held;

        private Turn(IdempotencyKey key, Turns turns, boolean later, boolean held) {
            this.key = key;
            this.turns = turns;
            this.later = later;
            this.held = held;
        }

        /** Whether somebody else was at this key when the caller came. */
        boolean isLater() {
            return later;
        }

        /** Lets the next one go on. To be called once. */
        void end() {
            try {
                if (held) {
                    turns.free.release();
                }
            } finally {
                leave(key);
            }
        }
    }
}
