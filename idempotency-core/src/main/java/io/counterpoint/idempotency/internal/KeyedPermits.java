package io.counterpoint.idempotency.internal;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Serializes the callers of one process that want the same key. A store acquires a permit before it borrows a
 * connection; otherwise a burst of duplicates would exhaust the pool while all but one of them wait in the database.
 * Thread-safe.
 *
 * <p>This is only an optimization: the database guarantees correctness, including across processes. A caller that has
 * waited for the maximum time continues without a permit. No order is guaranteed. Permits are not reentrant: a caller
 * that requests the permit of a key a second time waits, and then continues without it.
 *
 * @param <K> the keys, with {@code equals} and {@code hashCode}
 */
public final class KeyedPermits<K> {

    private final ConcurrentMap<K, Waiters> keys = new ConcurrentHashMap<>();

    /** Creates an instance without permits in use. Keys are kept only while they have callers. */
    public KeyedPermits() {}

    /**
     * Waits for the permit of a key. An interrupt ends the wait and stays set.
     *
     * @param key the key
     * @param maxWait the maximum wait; zero to not wait at all
     * @return the permit, even for a caller that continues without holding it; release it when done with the key
     */
    public Permit acquire(K key, Duration maxWait) {
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

    /**
     * Returns the number of keys that have callers.
     *
     * @return the current number
     */
    public int size() {
        return keys.size();
    }

    private void leave(K key) {
        keys.computeIfPresent(key, (unused, present) -> present.left());
    }

    private static boolean acquired(Semaphore free, Duration maxWait) {
        try {
            return free.tryAcquire(maxWait.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** The callers of one key, as long as there are any. */
    private static final class Waiters {
        final Semaphore free = new Semaphore(1);
        /** Guarded by the lock of the map. */
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
    public final class Permit {
        private final K key;
        private final Waiters waiters;
        private final boolean later;
        private final boolean held;

        private Permit(K key, Waiters waiters, boolean later, boolean held) {
            this.key = key;
            this.waiters = waiters;
            this.later = later;
            this.held = held;
        }

        /**
         * Returns whether another caller held the permit when this one requested it.
         *
         * @return whether it had to wait
         */
        public boolean hasPredecessor() {
            return later;
        }

        /**
         * Returns whether this caller holds the permit rather than continuing without it.
         *
         * @return whether it does
         */
        public boolean isHeld() {
            return held;
        }

        /** Lets the next caller continue. Call it once. */
        public void release() {
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
