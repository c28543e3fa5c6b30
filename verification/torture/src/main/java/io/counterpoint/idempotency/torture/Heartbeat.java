package io.counterpoint.idempotency.torture;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Shows in a history that its process runs, and how long it did not although it wanted to. A machine that gives a process
 * no time for a while is thereby told from a call that is stuck.
 */
final class Heartbeat {

    /** The time from a beat to the next, if the machine is idle. */
    static final Duration PERIOD = Duration.ofMillis(250);

    private Heartbeat() {}

    /** How many beats there are in so long a time, at the most. */
    static long beats(Duration time) {
        return time.dividedBy(PERIOD);
    }

    /** Beats from a thread of its own until the history is closed. */
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
            // Nobody reads on.
        }
    }
}
