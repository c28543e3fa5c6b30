package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Coalesced reads: one statement reads for callers that arrive at the same time. No caller waits for others to arrive.
 * While there are few callers, each reads for itself; how many count as few depends on the measured wait for a
 * connection. If there are more, a caller that arrives while others read waits until one of their statements ends; then
 * one of the waiting callers reads for all of them. Every read therefore begins after its caller requested it, just as
 * it would alone.
 *
 * <p>Waiting callers are served in order of arrival, one batch at a time. A caller with {@code n} others ahead of it is
 * in batch {@code n / BATCH + 1} of those that begin after its arrival.
 *
 * <p>A batch runs on the thread of one of its callers: there is no additional thread and nothing to close. The number
 * of callers bounds the queue.
 */
final class CoalescedReads {

    /** The maximum number of keys in one statement. */
    static final int BATCH = 64;

    /**
     * The number of callers that read for themselves as long as they need not wait for connections. Waking a thread
     * costs about as much as a statement, so coalescing pays off with many concurrent callers.
     */
    static final int FEW = 16;

    /**
     * The maximum number of simultaneous statements for concurrent callers. With more than one, a caller that arrives
     * just after a statement was sent need not wait for it to end.
     */
    static final int READERS = 4;

    /**
     * The time after which a caller stops waiting for others and reads for itself: their statement is slow, or an error
     * ended them.
     */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    private final IdempotencyStore<?> store;
    private final AdaptiveLimit few;
    private final long patience;
    private final AtomicInteger callers = new AtomicInteger();
    private final Semaphore readers = new Semaphore(READERS);
    private final Queue<Waiter> waiters = new ConcurrentLinkedQueue<>();

    /**
     * Creates an instance.
     *
     * @param store opens the sessions
     * @param few how many callers read for themselves
     */
    CoalescedReads(IdempotencyStore<?> store, AdaptiveLimit few) {
        this(store, few, PATIENCE);
    }

    CoalescedReads(IdempotencyStore<?> store, AdaptiveLimit few, Duration patience) {
        this.store = store;
        this.few = few;
        this.patience = patience.toNanos();
    }

    Optional<IdempotencyRecord> read(IdempotencyKey key) {
        try {
            return callers.incrementAndGet() <= few.get() ? readAlone(key) : readTogether(key);
        } finally {
            callers.decrementAndGet();
        }
    }

    private Optional<IdempotencyRecord> readAlone(IdempotencyKey key) {
        return inSession(key, steps -> steps.read(key));
    }

    /** Getting the connection separates the statement's wait from its execution. */
    private <T> T inSession(IdempotencyKey key, Function<RecordSteps, T> read) {
        try (AdaptiveLimit.Statement statement = few.begin();
                Session<?> session = store.open(key)) {
            statement.connected();
            return session.autoCommit(read);
        }
    }

    private Optional<IdempotencyRecord> readTogether(IdempotencyKey key) {
        Waiter own = new Waiter(key);
        long began = System.nanoTime();
        waiters.add(own);
        while (own.waits) {
            // If no waiter is left, another caller is reading for this one.
            if (!waiters.isEmpty() && readers.tryAcquire()) {
                try {
                    readForWaitingCallers();
                } finally {
                    readers.release();
                    wakeOne();
                }
            } else {
                LockSupport.parkNanos(this, patience);
                if (Thread.currentThread().isInterrupted() || System.nanoTime() - began >= patience) {
                    // The pool and the driver decide how an interrupt affects a read.
                    own.waits = false;
                    wakeOne();
                }
            }
        }
        Map<IdempotencyKey, IdempotencyRecord> found = own.found;
        return found == null ? readAlone(key) : Optional.ofNullable(found.get(key));
    }

    /** Callers of a failed batch read individually, so that none fails because of another's key or interrupt. */
    private void readForWaitingCallers() {
        List<Waiter> batch = new ArrayList<>(BATCH);
        Set<IdempotencyKey> keys = new LinkedHashSet<>();
        try {
            for (Waiter next; keys.size() < BATCH && (next = waiters.poll()) != null; ) {
                if (next.waits) {
                    batch.add(next);
                    keys.add(next.key);
                }
            }
            if (!batch.isEmpty()) {
                Map<IdempotencyKey, IdempotencyRecord> found =
                        inSession(batch.get(0).key, steps -> steps.readAll(List.copyOf(keys)));
                batch.forEach(waiter -> waiter.found = found);
            }
        } catch (RuntimeException thrown) {
            // Each of them may or may not encounter it again.
        } finally {
            batch.forEach(Waiter::goOn);
        }
    }

    /**
     * Wakes the longest-waiting caller, which checks whether it may read. Permits are returned before calling this, so
     * it is never called too early.
     */
    private void wakeOne() {
        for (Waiter next; (next = waiters.peek()) != null; waiters.remove(next)) {
            if (next.waits) {
                LockSupport.unpark(next.thread);
                return;
            }
        }
    }

    /**
     * A caller that wants a record. When it stops waiting, either its batch has been read or it has to read for itself.
     */
    private static final class Waiter {
        final IdempotencyKey key;
        final Thread thread = Thread.currentThread();
        volatile @Nullable Map<IdempotencyKey, IdempotencyRecord> found;
        volatile boolean waits = true;

        Waiter(IdempotencyKey key) {
            this.key = key;
        }

        void goOn() {
            waits = false;
            if (thread != Thread.currentThread()) {
                LockSupport.unpark(thread);
            }
        }
    }
}
