package io.counterpoint.idempotency.memory;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.NestedCallException;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An in-memory store with real transactions, for unit tests of code that uses this library. It also serves as the
 * reference that other stores are compared with.
 *
 * <p>Writes are invisible to others until their transaction commits; each record has a lock that its writers hold until
 * then. Domain code joins a transaction with {@link Transaction#onCommit}. Everything is lost with the process, so the
 * store protects against concurrency and repetition but not against crashes: don't use it in production.
 */
public final class InMemoryIdempotencyStore implements IdempotencyStore<InMemoryIdempotencyStore.Transaction> {

    /** Limits the depth of cause chains, so that cycles terminate. */
    private static final int CAUSES = 20;

    /** The store whose transaction is open on this thread. */
    private static final ThreadLocal<@Nullable InMemoryIdempotencyStore> INSIDE = new ThreadLocal<>();

    /** The clock of the records, in nanoseconds. */
    private final LongSupplier clock;

    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition unlocked = mutex.newCondition();
    private final Map<IdempotencyKey, Slot> slots = new HashMap<>();

    /** Creates a store that uses the system clock. */
    public InMemoryIdempotencyStore() {
        this(System::nanoTime);
    }

    /**
     * Creates a store with its own clock, for tests of ages and retention.
     *
     * @param clock the clock of the records
     */
    public InMemoryIdempotencyStore(IdempotencyClock clock) {
        this(() -> nanos(clock.now()));
    }

    private InMemoryIdempotencyStore(LongSupplier clock) {
        this.clock = clock;
    }

    private static long nanos(Instant time) {
        return time.getEpochSecond() * 1_000_000_000 + time.getNano();
    }

    @Override
    public Session<Transaction> open(IdempotencyKey key) {
        if (INSIDE.get() == this) {
            throw new NestedCallException(
                    "Called inside an open transaction of this thread, whose rollback would not undo the operation"
                            + " and which may hold the lock it would wait for. Call it outside that transaction.");
        }
        return new MemorySession();
    }

    @Override
    public Session<Transaction> openForClaim(IdempotencyKey key, Duration maxWait) {
        return open(key);
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        try (Session<Transaction> session = open(key)) {
            return session.autoCommit(steps -> steps.read(key));
        }
    }

    @Override
    public Optional<Failure> describe(Throwable thrown) {
        return Optional.empty();
    }

    @Override
    public Fault classify(Throwable thrown) {
        Throwable at = thrown;
        for (int depth = 0; at != null && depth < CAUSES; depth++) {
            if (at instanceof LockTimeout) {
                return Fault.LOCK_TIMEOUT;
            }
            if (at instanceof Duplicate) {
                return Fault.STATEMENT_REFUSED;
            }
            at = at.getCause();
        }
        return Fault.UNRECOGNISED;
    }

    long now() {
        return clock.getAsLong();
    }

    /** Runs a part of a transaction that others must not see halfway. */
    <T> T locked(Supplier<T> part) {
        mutex.lock();
        try {
            return part.get();
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public boolean keepsEveryInsert() {
        return true;
    }

    @Override
    public int purgeExpired(int batch) {
        return locked(() -> {
            long now = now();
            int purged = 0;
            Iterator<Slot> all = slots.values().iterator();
            while (all.hasNext() && purged < batch) {
                Slot slot = all.next();
                if (slot.owner == null && slot.committed != null && slot.committed.mayBePurged(now)) {
                    all.remove();
                    purged++;
                }
            }
            return purged;
        });
    }

    private final class MemorySession implements Session<Transaction> {

        @Override
        public boolean probablyClaimed() {
            return false;
        }

        @Override
        public boolean hasTurn() {
            return true;
        }

        @Override
        public <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
            return run((steps, unused) -> step.apply(steps));
        }

        @Override
        public Optional<IdempotencyRecord> claimAndLock(
                Pending pending, Duration retention, Duration lockWait, Durability durability) {
            return run((steps, unused) -> steps.claim(pending, retention, lockWait, durability));
        }

        @Override
        public <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<Transaction>, ? extends T> body) {
            InMemoryIdempotencyStore outer = INSIDE.get();
            INSIDE.set(InMemoryIdempotencyStore.this);
            try {
                return run(body);
            } finally {
                INSIDE.set(outer);
            }
        }

        private <T> T run(BiFunction<? super RecordSteps, ? super WorkScope<Transaction>, ? extends T> body) {
            Transaction transaction = new Transaction();
            try {
                Steps steps = new Steps(InMemoryIdempotencyStore.this, transaction);
                T answer = body.apply(steps, steps);
                transaction.close(true);
                return answer;
            } finally {
                transaction.end();
            }
        }

        @Override
        public boolean commitMayBeSent() {
            // The reply to a commit in memory is never lost.
            return false;
        }

        @Override
        public Optional<Throwable> afterCommitFailure() {
            return Optional.empty();
        }

        @Override
        public void close() {}
    }

    /** The handle for domain code: registers effects that happen if and only if the transaction commits. */
    public final class Transaction {
        /** The slot that this transaction locked last, the head of a linked list. */
        private @Nullable Slot owned;

        private List<Runnable> effects = List.of();

        private boolean closed;

        private Transaction() {}

        /**
         * Adds an effect. Effects run in order, together with the commit: none is visible without the record.
         *
         * @param effect runs under the store's lock, so it must be fast and must not throw
         */
        public void onCommit(Runnable effect) {
            if (effects.isEmpty()) {
                effects = new ArrayList<>();
            }
            effects.add(effect);
        }

        /** Commits or rolls back. Calls after the first have no effect. */
        void close(boolean commits) {
            if (!closed && commits) {
                commit();
            }
            closed = true;
        }

        private void commit() {
            mutex.lock();
            try {
                for (Slot slot = owned; slot != null; slot = slot.before) {
                    slot.committed = slot.written;
                }
                for (int i = 0; i < effects.size(); i++) {
                    effects.get(i).run();
                }
            } finally {
                mutex.unlock();
            }
        }

        private void end() {
            mutex.lock();
            try {
                for (Slot slot = owned; slot != null; slot = owned) {
                    owned = slot.before;
                    slot.before = null;
                    slot.owner = null;
                    slot.written = null;
                    if (slot.committed == null) {
                        slots.remove(slot.key);
                    }
                }
                unlocked.signalAll();
            } finally {
                mutex.unlock();
            }
        }

        @Nullable
        Row row(IdempotencyKey key) {
            Slot slot = slots.get(key);
            return slot == null ? null : slot.seenBy(this);
        }

        /** Takes the record's lock until the transaction ends. The caller holds the mutex. */
        Slot own(IdempotencyKey key, Duration wait) {
            long left = wait.toNanos();
            for (; ; ) {
                Slot slot = slots.computeIfAbsent(key, Slot::new);
                if (slot.owner == this) {
                    return slot;
                }
                if (slot.owner == null) {
                    slot.owner = this;
                    slot.written = slot.committed;
                    slot.before = owned;
                    owned = slot;
                    return slot;
                }
                if (left <= 0) {
                    throw new LockTimeout(key);
                }
                try {
                    left = unlocked.awaitNanos(left);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new LockTimeout(key);
                }
            }
        }
    }

    /** Thrown when an insert is rejected. */
    static final class Duplicate extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Duplicate(IdempotencyKey key) {
            super(key + ": the record already exists.");
        }
    }

    private static final class LockTimeout extends RuntimeException {
        private static final long serialVersionUID = 1L;

        LockTimeout(IdempotencyKey key) {
            super(key + ": another transaction holds the record's lock.");
        }
    }
}
