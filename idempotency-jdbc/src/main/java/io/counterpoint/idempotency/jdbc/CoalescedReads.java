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
 * Coalesced reads: one statement reads for the callers that come at the same time. No caller waits for others to come.
 * While there are few callers, each reads for itself. How many are few follows from the measured wait for a connection.
 * Where there are more, a caller that comes while others read waits for the end of a statement. Then one of the waiting
 * callers reads for all of them. So a read begins after its caller asked, as it does alone.
 *
 * <p>The callers that wait are served in the order in which they came, a batch at a time. A caller with {@code n} others
 * before it is in the batch {@code n / BATCH + 1} of those that begin after it came.
 *
 * <p>A batch belongs to the thread of one of its callers: there is no thread of its own and nothing to close. What waits
 * is bounded by the callers.
 */
final class CoalescedReads {

    /** The most keys in one statement. */
    static final int BATCH = 64;

    /**
     * So many callers read for themselves, if their connections do not keep them waiting. To wake a thread costs about
     * what a statement does, so coalescing pays when there are many concurrent callers.
     */
    static final int FEW = 16;

    /**
     * The most statements at a time for concurrent callers. A caller that comes just after one was sent need not wait
     * for its end.
     */
    static final int READERS = 4;

    /** After this a caller that others still read for reads for itself: their statement is slow, or an error ended them. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    private final IdempotencyStore<?> store;
    private final AdaptiveLimit few;
    private final long patience;
    private final AtomicInteger callers = new AtomicInteger();
    private final Semaphore readers = new Semaphore(READERS);
    private final Queue<Waiter> waiters = new ConcurrentLinkedQueue<>();

    /**
     * Makes it.
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

    /** The connection parts the wait of a statement from its work. */
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
            // Where no waiter is left, another caller is reading for this one.
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
                    // Of an interrupt the pool and the driver decide what it means to a read.
                    own.waits = false;
                    wakeOne();
                }
            }
        }
        Map<IdempotencyKey, IdempotencyRecord> found = own.found;
        return found == null ? readAlone(key) : Optional.ofNullable(found.get(key));
    }

    /** Callers of a failed batch read alone: no caller fails by another's key or interrupt. */
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
            // Each of them meets it again, or does not.
        } finally {
            batch.forEach(Waiter::goOn);
        }
    }

    /**
     * Wakes the caller that waits longest, which checks whether it may read. A permit is given back before, so no call
     * of this is too early.
     */
    private void wakeOne() {
        for (Waiter next; (next = waiters.peek()) != null; waiters.remove(next)) {
            if (next.waits) {
                LockSupport.unpark(next.thread);
                return;
            }
        }
    }

    /** A caller in want of a record. Once it does not wait, its batch has been read, or it has to read by itself. */
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
