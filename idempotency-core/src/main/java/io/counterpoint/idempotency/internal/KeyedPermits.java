package io.counterpoint.idempotency.internal;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets the callers of one process that want the same key run one after the other. A store takes a permit before it
 * borrows a connection. Otherwise, a storm of duplicates would hold the whole pool while all but one of them wait in
 * the database. Thread-safe.
 *
 * <p>It only saves work: the database decides what is correct, also between processes. A caller that has waited
 * long enough continues without a permit. It guarantees no order. It is not reentrant: a caller that requests a permit
 * that it already holds waits, and then continues without one.
 *
 * @param <K> the keys, with {@code equals} and {@code hashCode}
 */
public final class KeyedPermits<K> {

    private final ConcurrentMap<K, Waiters> keys = new ConcurrentHashMap<>();

    /** Without permits in use. It keeps keys only while they have callers. */
    public KeyedPermits() {}

    /**
     * Waits for the permit of a key. An interrupt ends the wait, and the thread stays interrupted.
     *
     * @param key the key
     * @param maxWait the longest wait; zero means not at all
     * @return the permit, even if the caller continues without holding it; release it when done with the key
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
     * How many keys have callers.
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

    /** The callers of one key, while there are any. */
    private static final class Waiters {
        final Semaphore free = new Semaphore(1);
        /** Read and written under the lock of the map. */
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
         * Whether another caller held the permit when this one requested it.
         *
         * @return whether it had to wait
         */
        public boolean hasPredecessor() {
            return later;
        }

        /**
         * Whether this caller holds the permit, rather than continuing without it.
         *
         * @return whether it has
         */
        public boolean isHeld() {
            return held;
        }

        /** Lets the next caller continue. To be called once. */
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
