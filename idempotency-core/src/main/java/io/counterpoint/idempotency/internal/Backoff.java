package io.counterpoint.idempotency.internal;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Pauses that double with every try.
 *
 * @param first the maximum pause after the first try
 * @param longest the maximum pause after any try
 */
public record Backoff(Duration first, Duration longest) {

    private static final int MOST_DOUBLINGS = 40;

    /**
     * Validates the pauses.
     *
     * @param first the maximum pause after the first try
     * @param longest the maximum pause after any try
     * @throws IllegalArgumentException if the first is not positive, or the longest is shorter
     */
    public Backoff {
        if (first.isNegative() || first.isZero() || longest.compareTo(first) < 0) {
            throw new IllegalArgumentException(
                    "The first pause must be positive, and the longest at least as long: found " + Durations.text(first)
                            + " and " + Durations.text(longest) + ".");
        }
    }

    /**
     * Returns a random pause of at least half the maximum for this number of tries, so that competing callers drift
     * apart.
     *
     * @param tries the number of tries so far, from 1
     * @return the pause
     */
    public Duration pause(int tries) {
        long most = longest.toNanos();
        int doublings = Math.min(tries - 1, MOST_DOUBLINGS);
        long due = first.toNanos() > most >> doublings ? most : first.toNanos() << doublings;
        return Duration.ofNanos(ThreadLocalRandom.current().nextLong(due / 2, due + 1));
    }
}
