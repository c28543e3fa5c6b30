package io.counterpoint.idempotency.consistency.comparison;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Threads that write to both sides, one after the other in transactions of their own: now the old first, now the new. */
final class DualWriters implements AutoCloseable {

    private final Jdbi jdbi;
    private final long rows;
    private final LongPredicate untouchable;
    private final List<Thread> threads = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final AtomicLong writes = new AtomicLong();
    private final AtomicLong longestNanos = new AtomicLong();
    private final Set<Long> slow = ConcurrentHashMap.newKeySet();
    private final Duration bound;
    private volatile boolean stopped;

    DualWriters(Jdbi jdbi, long rows, int number, LongPredicate untouchable, Duration bound) {
        this.jdbi = jdbi;
        this.rows = rows;
        this.untouchable = untouchable;
        this.bound = bound;
        for (int i = 0; i < number; i++) {
            int remainder = i;
            Thread thread = new Thread(() -> write(remainder, number), "dual writer " + i);
            threads.add(thread);
            thread.start();
        }
    }

    /** Each thread has keys of its own, so that two writes of one row never overlap. */
    private void write(int remainder, int number) {
        Random random = new Random(remainder);
        try {
            while (!stopped) {
                // A few rows beyond the end appear and vanish.
                long key = random.nextLong(rows + rows / 50) / number * number + remainder;
                if (!untouchable.test(key)) {
                    writeBoth(key, random);
                    writes.incrementAndGet();
                }
            }
        } catch (Throwable thrown) {
            synchronized (failures) {
                failures.add(thrown);
            }
        }
    }

    private void writeBoth(long key, Random random) {
        int kind = random.nextInt(10);
        // Two writes of a row that are met half done leave no difference that looks the same.
        int calls = random.nextInt(1_000_000);
        boolean oldFirst = random.nextBoolean();
        long start = System.nanoTime();
        for (boolean old : new boolean[] {oldFirst, !oldFirst}) {
            jdbi.useHandle(handle -> {
                if (kind == 0) {
                    handle.execute("DELETE FROM " + table(old) + " WHERE id = ?", key);
                } else if (update(handle, old, key, calls) == 0 && kind > 4) {
                    insert(handle, old, key, calls);
                }
            });
        }
        long nanos = System.nanoTime() - start;
        longestNanos.accumulateAndGet(nanos, Math::max);
        if (nanos >= bound.toNanos()) {
            slow.add(key);
        }
    }

    private static int update(Handle handle, boolean old, long key, int calls) {
        return handle.execute("UPDATE " + table(old) + " SET calls = ? WHERE id = ?", calls, key);
    }

    private static void insert(Handle handle, boolean old, long key, int calls) {
        handle.execute(
                "INSERT INTO " + table(old) + " VALUES (?, ?, ?, ?)",
                key,
                (old ? "user-" : "workspace-") + key % 1000,
                "app " + key,
                calls);
    }

    private static String table(boolean old) {
        return old ? "app_by_user" : "app_by_workspace";
    }

    /** Keys of writes that took as long as the bound or longer, because the machine was busy. */
    Set<Long> slow() {
        return slow;
    }

    long writes() {
        return writes.get();
    }

    long longestMillis() {
        return longestNanos.get() / 1_000_000;
    }

    /** Returns when all have stopped between two writes. */
    @Override
    public void close() {
        stopped = true;
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        if (!failures.isEmpty()) {
            throw new AssertionError("a writer failed", failures.get(0));
        }
    }
}
