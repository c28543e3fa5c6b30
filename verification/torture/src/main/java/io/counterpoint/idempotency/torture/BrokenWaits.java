package io.counterpoint.idempotency.torture;

import java.util.ArrayList;
import java.util.List;

/**
 * The periods in which the primary may have shown commits that its standby lacked before the standby was promoted. What
 * was only read then may be gone, and PostgreSQL gives nobody a way to know. In milliseconds of the machine's clock.
 */
final class BrokenWaits {

    private final List<Time> times = new ArrayList<>();

    private static final class Time {
        private final long from;
        private long to = Long.MAX_VALUE;

        Time(long from) {
            this.from = from;
        }
    }

    /** Call before the first wait is broken. */
    synchronized void begin(long millis) {
        times.add(new Time(millis));
    }

    /** Call after the primary is fenced. */
    synchronized void end(long millis) {
        times.get(times.size() - 1).to = millis;
    }

    /** Whether a call with this beginning and end overlaps such a period. */
    synchronized boolean meet(long begin, long end) {
        return times.stream().anyMatch(time -> begin <= time.to && end >= time.from);
    }
}
