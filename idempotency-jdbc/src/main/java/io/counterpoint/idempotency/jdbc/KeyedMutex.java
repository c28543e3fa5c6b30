package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.IdempotencyKey;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets the callers of this process that claim the same key wait for each other before they borrow a connection. Otherwise a
 * storm of duplicates would hold the whole pool while all but one wait in the database. The mutex decides nothing: the
 * database does, and a caller that has waited long enough continues without a permit.
 */
final class KeyedMutex {

    private final ConcurrentMap<IdempotencyKey, Waiters> keys = new ConcurrentHashMap<>();

    /**
     * Waits for the permit of a key. An interrupt ends the wait, and stays set.
     *
     * @return the permit, to be released when the caller is done with the key
     */
    Permit acquire(IdempotencyKey key, Duration maxWait) {
        Waiters waiters = keys.compute(key, (unused, present) -> (present == null ? new Waiters() : present).joined());
        try {
            boolean later = !waiters.free.tryAcquire();
            boolean held = !later || acquired(waiters.free, maxWait);
            return new Permit(key, waiters, later, held);
        } catch (RuntimeException | Error thrown) {
            leave(key);
            throw thrown;
        }
    }

    private void leave(IdempotencyKey key) {
        keys.computeIfPresent(key, (unused, present) -> present.left());
    }

    /** How many keys have callers at this moment. */
    int size() {
        return keys.size();
    }

    private static boolean acquired(Semaphore free, Duration maxWait) {
        try {
            return free.tryAcquire(maxWait.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** The callers of one key, while there are any. */
    private static final class Waiters {
        final Semaphore free = new Semaphore(1);
        /** Guarded by the map. */
        private int callers;

        Waiters joined() {
            callers++;
            return this;
        }

        @Nullable
        Waiters left() {
            return --callers == 0 ? null : this;
        }
    }

    /** The right of one caller to continue. */
    final class Permit {
        private final IdempotencyKey key;
        private final Waiters waiters;
        private final boolean later;
        private final boolean held;

        private Permit(IdempotencyKey key, Waiters waiters, boolean later, boolean held) {
            this.key = key;
            this.waiters = waiters;
            this.later = later;
            this.held = held;
        }

        /** Whether another caller held the permit when this one asked for it. */
        boolean hasPredecessor() {
            return later;
        }

        /** Lets the next caller continue. To be called once. */
        void release() {
            try {
                if (held) {
                    waiters.free.release();
                }
            } finally {
                leave(key);
            }
        }
    }
}
