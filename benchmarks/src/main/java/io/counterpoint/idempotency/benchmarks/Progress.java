package io.counterpoint.idempotency.benchmarks;

import java.util.Locale;

/** Lines on standard error, so that nobody wonders whether a long run still runs. */
final class Progress {

    private static final long QUIET_NANOS = 2_000_000_000L;
    private static final long START = System.nanoTime();
    private static long last = START - QUIET_NANOS;

    private Progress() {}

    /** Says what happens now, unless something was said a moment ago. */
    static synchronized void say(String what) {
        long now = System.nanoTime();
        if (now - last >= QUIET_NANOS) {
            last = now;
            System.err.printf(Locale.ROOT, "%5.0f s  %s%n", (now - START) / 1e9, what);
        }
    }
}
