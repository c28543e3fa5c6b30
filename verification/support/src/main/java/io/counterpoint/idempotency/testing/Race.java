package io.counterpoint.idempotency.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Makes many threads do the same thing at the same moment. */
public final class Race {

    private static final Duration BOUND = Duration.ofSeconds(60);

    private Race() {}

    /** What one thread does. */
    @FunctionalInterface
    public interface Runner<T extends @Nullable Object> {

        /** Runs on its own thread. Numbers start at 0. */
        T run(int number) throws Exception;
    }

    /**
     * The result of one runner: a value or an exception.
     *
     * @param failure null if the runner returned
     */
    public record Result<T>(@Nullable T value, @Nullable Throwable failure) {

        public boolean succeeded() {
            return failure == null;
        }

        /** Returns the value, or fails the test if there is none. */
        public @Nullable T orFail() {
            if (failure != null) {
                throw new AssertionError("a runner of the race failed with " + failure, failure);
            }
            return value;
        }
    }

    /** Runs for at most one minute; see {@link #of(int, Duration, Runner)}. */
    public static <T extends @Nullable Object> List<Result<T>> of(int runners, Runner<T> runner) {
        return of(runners, BOUND, runner);
    }

    /**
     * Starts a number of platform threads together and waits for all of them.
     *
     * @return their results, ordered by runner number
     * @throws AssertionError if they do not finish in time. It shows where one hangs, and all are interrupted
     */
    public static <T extends @Nullable Object> List<Result<T>> of(int runners, Duration bound, Runner<T> runner) {
        return of(runners, bound, done -> done.await(bound.toMillis(), TimeUnit.MILLISECONDS), runner);
    }

    /** Waits for the runners, and returns whether all of them are done. */
    interface Waiting {
        boolean await(CountDownLatch done) throws InterruptedException;
    }

    static <T extends @Nullable Object> List<Result<T>> of(
            int runners, Duration bound, Waiting waiting, Runner<T> runner) {
        AtomicReferenceArray<@Nullable Result<T>> results = new AtomicReferenceArray<>(runners);
        CyclicBarrier start = new CyclicBarrier(runners);
        CountDownLatch done = new CountDownLatch(runners);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < runners; i++) {
            int number = i;
            Thread thread = new Thread(
                    () -> {
                        results.set(number, run(number, start, runner));
                        done.countDown();
                    },
                    "runner " + number);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        awaitAll(done, bound, waiting, threads);
        return collected(results);
    }

    private static <T extends @Nullable Object> Result<T> run(int number, CyclicBarrier start, Runner<T> runner) {
        try {
            start.await();
            return new Result<>(runner.run(number), null);
        } catch (Throwable thrown) {
            return new Result<>(null, thrown);
        }
    }

    private static void awaitAll(CountDownLatch done, Duration bound, Waiting waiting, List<Thread> threads) {
        try {
            if (waiting.await(done)) {
                return;
            }
        } catch (InterruptedException e) {
            threads.forEach(Thread::interrupt);
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a race to end", e);
        }
        AssertionError failure = new AssertionError(done.getCount() + " of " + threads.size()
                + " runners are not done within " + bound + "; one of them hangs where the cause says");
        threads.stream().filter(Thread::isAlive).findFirst().ifPresent(thread -> {
            Throwable where = new Throwable(thread.getName());
            where.setStackTrace(thread.getStackTrace());
            failure.initCause(where);
        });
        threads.forEach(Thread::interrupt);
        throw failure;
    }

    private static <T extends @Nullable Object> List<Result<T>> collected(
            AtomicReferenceArray<@Nullable Result<T>> results) {
        List<Result<T>> collected = new ArrayList<>();
        for (int i = 0; i < results.length(); i++) {
            Result<T> result = results.get(i);
            if (result != null) {
                collected.add(result);
            }
        }
        return List.copyOf(collected);
    }
}
