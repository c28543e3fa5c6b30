package io.counterpoint.idempotency.torture;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Shows in a history that its process is running, and for how long it was prevented from running. This distinguishes a
 * machine that starves a process from a call that is stuck.
 */
final class Heartbeat {

    /** The time between beats on an idle machine. */
    static final Duration PERIOD = Duration.ofMillis(250);

    private Heartbeat() {}

    /** The maximum number of beats in a period. */
    static long beats(Duration time) {
        return time.dividedBy(PERIOD);
    }

    /** Beats on a separate thread until the history is closed. */
    static void begin(History history) {
        Thread thread = new Thread(() -> beat(history), "heartbeat");
        thread.setDaemon(true);
        thread.start();
    }

    private static void beat(History history) {
        long last = System.nanoTime();
        try {
            while (true) {
                TimeUnit.NANOSECONDS.sleep(PERIOD.toNanos());
                long now = System.nanoTime();
                history.beat(TimeUnit.NANOSECONDS.toMillis(now - last - PERIOD.toNanos()));
                last = now;
            }
        } catch (InterruptedException | UncheckedIOException over) {
            // The history is closed, so the beats end.
        }
    }
}
