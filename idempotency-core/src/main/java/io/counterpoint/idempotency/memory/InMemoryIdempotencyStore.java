package io.counterpoint.idempotency.memory;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Claim;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.StoreTransaction;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * A store in the memory of this process, with real transactions: for unit tests of code that uses this library, and the
 * reference that other stores are compared with.
 *
 * <p>Writes are invisible to others until their transaction commits; each record has a lock that its writers hold until
 * then. Domain code joins a transaction by {@link Transaction#onCommit}. Everything is lost with the process, so it
 * protects against concurrency and repetition, not against crashes: not for production.
 */
@NullMarked
public final class InMemoryIdempotencyStore implements IdempotencyStore<InMemoryIdempotencyStore.Transaction> {

    /** The bound of a compare-and-set's wait for the record's lock. */
    private static final Duration LOCK_WAIT = Duration.ofSeconds(1);

    /** Deeper chains of causes are not looked at, so that a cycle ends. */
    private static final int CAUSES = 20;

    private static final Claim LEADS = new Claim.Leads();

    /** The store in a transaction of which this thread is. */
    private static final ThreadLocal<@Nullable InMemoryIdempotencyStore> INSIDE = new ThreadLocal<>();

    private final IdempotencyClock clock;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition unlocked = mutex.newCondition();
    private final Map<IdempotencyKey, Slot> slots = new HashMap<>();

    /** A store that takes its time from the machine. */
    public InMemoryIdempotencyStore() {
        this(IdempotencyClock.system());
    }

    /**
     * A store with a time of its own, for tests of ages and retention.
     *
     * @param clock the time of the records
     */
    public InMemoryIdempotencyStore(IdempotencyClock clock) {
        this.clock = clock;
    }

    @Override
    public Session<Transaction> open() {
        if (INSIDE.get() == this) {
            throw new IllegalStateException("Called inside an open transaction of this thread, which may hold the lock"
                    + " that this call would wait for, and whose roll-back would not undo it: call it outside.");
        }
        return new MemorySession();
    }

    @Override
    public Fault classify(Throwable thrown) {
        Throwable at = thrown;
        for (int depth = 0; at != null && depth < CAUSES; depth++) {
            if (at instanceof LockTimeout) {
                return Fault.LOCKED;
            }
            at = at.getCause();
        }
        return Fault.UNRECOGNISED;
    }

    @Override
    public int purgeExpired(int batch) {
        mutex.lock();
        try {
            Instant now = clock.now();
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
        } finally {
            mutex.unlock();
        }
    }

    /** A record with its times. */
    private record Row(IdempotencyRecord record, Instant created, Instant updated, Duration retention) {

        boolean mayBePurged(Instant now) {
            return !(record instanceof Pending)
                    && created.plus(retention).isBefore(now)
                    && updated.plus(retention).isBefore(now);
        }

        IdempotencyRecord seenAt(Instant now) {
            return record instanceof Pending pending
                    ? new Pending(
                            pending.key(),
                            pending.protocol(),
                            pending.token(),
                            pending.fingerprint(),
                            pending.plan(),
                            Duration.between(updated, now))
                    : record;
        }
    }

    /** The place of a key: what is committed there, whose lock is on it, and what that transaction has written. */
    private static final class Slot {
        final IdempotencyKey key;

        @Nullable
        Row committed;

        @Nullable
        Row written;

        @Nullable
        Transaction owner;

        /** The one that its owner locked before. */
        @Nullable
        Slot before;

        Slot(IdempotencyKey key) {
            this.key = key;
        }

        @Nullable
        Row seenBy(Transaction transaction) {
            return owner == transaction ? written : committed;
        }
    }

    private final class MemorySession implements Session<Transaction> {

        @Override
        public <T> T alone(Function<? super StoreTransaction<Transaction>, ? extends T> step) {
            return run(step, false);
        }

        @Override
        public <T> T inTransaction(Function<? super StoreTransaction<Transaction>, ? extends T> body) {
            InMemoryIdempotencyStore outer = INSIDE.get();
            INSIDE.set(InMemoryIdempotencyStore.this);
            try {
                return run(body, true);
            } finally {
                INSIDE.set(outer);
            }
        }

        private <T> T run(Function<? super StoreTransaction<Transaction>, ? extends T> body, boolean hasHandle) {
            Transaction transaction = new Transaction();
            try {
                T answer = body.apply(new Steps(transaction, hasHandle));
                transaction.commit();
                return answer;
            } finally {
                transaction.end();
            }
        }

        @Override
        public void close() {}
    }

    /** What domain code gets: a place for effects that happen if, and only if, the transaction commits. */
    public final class Transaction {
        /** The slot that this transaction locked last; the others hang on it. */
        private @Nullable Slot owned;

        private List<Runnable> effects = List.of();

        private Transaction() {}

        /**
         * Adds an effect. Effects run in their order, together with the commit: nobody sees one without the record.
         *
         * @param effect runs under the store's lock, so it must be quick and must not throw
         */
        public void onCommit(Runnable effect) {
            effects = with(effects, effect);
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

        private @Nullable Row row(IdempotencyKey key) {
            Slot slot = slots.get(key);
            return slot == null ? null : slot.seenBy(this);
        }

        /** Takes the record's lock until the transaction ends. The caller holds the mutex. */
        private Slot own(IdempotencyKey key, Duration wait) {
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

    /** A list with one more, which costs nothing where there is none, and little where there is one. */
    private static <T> List<T> with(List<T> list, T one) {
        if (list.isEmpty()) {
            return List.of(one);
        }
        List<T> more = list.size() == 1 ? new ArrayList<>(list) : list;
        more.add(one);
        return more;
    }

    private final class Steps implements StoreTransaction<Transaction> {
        private final Transaction transaction;
        private final boolean hasHandle;

        Steps(Transaction transaction, boolean hasHandle) {
            this.transaction = transaction;
            this.hasHandle = hasHandle;
        }

        @Override
        public Transaction handle() {
            if (!hasHandle) {
                throw new IllegalStateException("A step that runs alone has no handle for domain code.");
            }
            return transaction;
        }

        @Override
        public Claim claim(IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
            mutex.lock();
            try {
                IdempotencyKey key = record.key();
                Row there = transaction.row(key);
                if (there != null) {
                    return new Claim.Follows(there.seenAt(clock.now()));
                }
                Slot slot = transaction.own(key, lockWait);
                Instant now = clock.now();
                if (slot.written != null) {
                    return new Claim.Follows(slot.written.seenAt(now));
                }
                slot.written = new Row(record, now, now, retention);
                return LEADS;
            } finally {
                mutex.unlock();
            }
        }

        @Override
        public Optional<IdempotencyRecord> read(IdempotencyKey key) {
            mutex.lock();
            try {
                Row row = transaction.row(key);
                return row == null ? Optional.empty() : Optional.of(row.seenAt(clock.now()));
            } finally {
                mutex.unlock();
            }
        }

        @Override
        public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
            mutex.lock();
            try {
                if (transaction.row(key) != null) {
                    transaction.own(key, lockWait);
                }
                return read(key);
            } finally {
                mutex.unlock();
            }
        }

        @Override
        public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
            return compareAndSet(
                    key,
                    token,
                    pending -> Optional.of(new Succeeded(
                            key, pending.protocol(), token, pending.fingerprint(), result.or(pending::plan))));
        }

        @Override
        public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
            return compareAndSet(
                    key,
                    token,
                    pending -> Optional.of(new Failed(key, pending.protocol(), token, pending.fingerprint(), failure)));
        }

        @Override
        public boolean release(IdempotencyKey key, UUID token) {
            return compareAndSet(key, token, pending -> Optional.empty());
        }

        @Override
        public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
            return compareAndSet(
                    key,
                    token,
                    pending -> Optional.of(new Pending(
                            key, pending.protocol(), fresh, pending.fingerprint(), pending.plan(), Duration.ZERO)));
        }

        @Override
        public boolean confirm(IdempotencyKey key, UUID token) {
            mutex.lock();
            try {
                if (transaction.row(key) == null) {
                    return false;
                }
                Slot slot = transaction.own(key, LOCK_WAIT);
                Row row = slot.written;
                if (row == null || !row.record().token().equals(token)) {
                    return false;
                }
                slot.written = new Row(row.record(), row.created(), clock.now(), row.retention());
                return true;
            } finally {
                mutex.unlock();
            }
        }

        private boolean compareAndSet(
                IdempotencyKey key, UUID token, Function<Pending, Optional<IdempotencyRecord>> change) {
            mutex.lock();
            try {
                if (transaction.row(key) == null) {
                    return false;
                }
                Slot slot = transaction.own(key, LOCK_WAIT);
                Row row = slot.written;
                if (row == null
                        || !(row.record() instanceof Pending pending)
                        || !pending.token().equals(token)) {
                    return false;
                }
                Optional<IdempotencyRecord> changed = change.apply(pending);
                slot.written = changed.isPresent()
                        ? new Row(changed.get(), row.created(), clock.now(), row.retention())
                        : null;
                return true;
            } finally {
                mutex.unlock();
            }
        }
    }

    private static final class LockTimeout extends RuntimeException {
        private static final long serialVersionUID = 1L;

        LockTimeout(IdempotencyKey key) {
            super(key + ": another transaction holds the record's lock.");
        }
    }
}
