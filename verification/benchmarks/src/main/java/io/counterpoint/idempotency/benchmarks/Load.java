package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;

/** Callers that call one variant over and over until the load stops. Each waits for its answer. */
final class Load implements AutoCloseable {

    private static final Duration LONGEST = Duration.ofMinutes(2);

    private final Variant variant;
    private final Answer expected;
    private final LongAdder calls = new LongAdder();
    private final Histogram latencies = new AtomicHistogram(LONGEST.toNanos(), 3);
    private final ExecutorService threads;
    private final List<Future<Void>> callers = new ArrayList<>();
    private volatile boolean stopped;

    private Load(Variant variant, Answer expected, ExecutorService threads) {
        this.variant = variant;
        this.expected = expected;
        this.threads = threads;
    }

    /** Starts callers; each answer has to be the expected one. */
    static Load start(Variant variant, int callers, Supplier<String> keys, Answer expected) {
        return start(variant, Callers.threads(callers), keys, expected);
    }

    static Load start(Variant variant, Callers kind, Supplier<String> keys, Answer expected) {
        int callers = kind.count();
        Load load = new Load(variant, expected, kind.start());
        CountDownLatch ready = new CountDownLatch(callers);
        for (int i = 0; i < callers; i++) {
            load.callers.add(load.threads.submit(() -> {
                ready.countDown();
                ready.await();
                load.callUntilStopped(keys);
                return null;
            }));
        }
        return load;
    }

    private void callUntilStopped(Supplier<String> keys) throws Exception {
        while (!stopped) {
            String key = keys.get();
            long start = System.nanoTime();
            Answer answer = variant.action().call(key);
            latencies.recordValue(Math.min(System.nanoTime() - start, LONGEST.toNanos()));
            if (answer != expected) {
                throw new IllegalStateException(variant.name() + " answered " + answer + ", expected " + expected);
            }
            calls.increment();
        }
    }

    long calls() {
        return calls.sum();
    }

    /** How long so many of a hundred calls took at most, in microseconds. */
    double micros(double percentile) {
        return latencies.getValueAtPercentile(percentile) / 1e3;
    }

    Rate rateFromNow() {
        return new Rate();
    }

    /** The calls since a moment. */
    final class Rate {
        private final long start = System.nanoTime();
        private final long before = calls();

        double perSecond() {
            return (calls() - before) / ((System.nanoTime() - start) / 1e9);
        }
    }

    /** Lets every caller finish the call it is in; throws the failure of one of them. */
    void stop() throws InterruptedException {
        stopped = true;
        for (Future<Void> caller : callers) {
            try {
                caller.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException(variant.name() + " failed: " + e.getCause(), e.getCause());
            }
        }
    }

    @Override
    public void close() {
        stopped = true;
        threads.shutdownNow();
        try {
            if (!threads.awaitTermination(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("a caller of " + variant.name() + " hangs");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
