package io.counterpoint.idempotency;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * The engine's source of time: it bounds waits, paces retries and determines when a missing record no longer proves
 * anything. It decides when to look, never what is true; the age and expiry of records follow the store's own clock.
 */
public interface IdempotencyClock {

    /**
     * Returns the current time. Only differences are meaningful; the epoch is arbitrary.
     *
     * @return an instant, never before one that this clock returned earlier
     */
    Instant now();

    /**
     * Returns the wall-clock time, because the monotonic timer behind {@link #now} may stop while a machine is
     * suspended. To determine how long ago something happened, the engine uses the larger of the two differences.
     *
     * @return the date and time, which may jump; {@link #now} for a clock without one
     */
    default Instant wallTime() {
        return now();
    }

    /**
     * Pauses the calling thread.
     *
     * @param pause how long; positive
     * @throws InterruptedException if the caller is interrupted while pausing
     */
    void sleep(Duration pause) throws InterruptedException;

    /**
     * Returns the system clock. {@link #now} follows the monotonic timer, which does not jump when the wall clock is
     * set.
     *
     * @return the clock
     */
    static IdempotencyClock system() {
        long start = System.nanoTime();
        return new IdempotencyClock() {
            @Override
            public Instant now() {
                return Instant.EPOCH.plusNanos(System.nanoTime() - start);
            }

            @Override
            public Instant wallTime() {
                return Clock.systemUTC().instant();
            }

            @Override
            public void sleep(Duration pause) throws InterruptedException {
                Thread.sleep(pause.toMillis(), pause.toNanosPart() % 1_000_000);
            }
        };
    }
}
