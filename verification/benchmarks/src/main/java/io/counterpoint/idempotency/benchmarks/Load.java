package io.counterpoint.idempotency.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;

/** Callers that call one variant repeatedly until the load stops. Each waits for its response. */
final class Load implements AutoCloseable {

    private static final Duration LONGEST = Duration.ofMinutes(2);

    private final Variant variant;
    private final LongAdder calls = new LongAdder();
    private final Histogram latencies = new AtomicHistogram(LONGEST.toNanos(), 3);
    private final ExecutorService threads;
    private final List<Future<Void>> callers = new ArrayList<>();
    private volatile boolean stopped;

    Load(Variant variant, Callers kind) {
        this.variant = variant;
        this.threads = kind.start();
        CountDownLatch ready = new CountDownLatch(kind.count());
        for (int i = 0; i < kind.count(); i++) {
            callers.add(threads.submit(() -> {
                ready.countDown();
                ready.await();
                callUntilStopped();
                return null;
            }));
        }
    }

    private void callUntilStopped() throws Exception {
        while (!stopped) {
            long start = System.nanoTime();
            variant.call();
            latencies.recordValue(Math.min(System.nanoTime() - start, LONGEST.toNanos()));
            calls.add(variant.size());
        }
    }

    long calls() {
        return calls.sum();
    }

    /** A percentile of the calls' durations, in microseconds. */
    double micros(double percentile) {
        return latencies.getValueAtPercentile(percentile) / 1e3;
    }

    Rate rateFromNow() {
        return new Rate();
    }

    /** The rate of calls since a moment. */
    final class Rate {
        private final long start = System.nanoTime();
        private final long before = calls();

        double perSecond() {
            return (calls() - before) / ((System.nanoTime() - start) / 1e9);
        }
    }

    /** Lets every caller finish its current call; throws a caller's exception, if there is one. */
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
