package io.counterpoint.idempotency;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * The engine's clock: it bounds waits, pauses between tries, and determines when a missing record no longer proves
 * anything. It decides when to look, never what is true: the age and expiry of records use the store's own clock.
 */
public interface IdempotencyClock {

    /**
     * Returns the current time. Only differences count: the epoch is the clock's own.
     *
     * @return an instant, never before one that this clock returned earlier
     */
    Instant now();

    /**
     * Returns the wall clock time, in addition to {@link #now}, because a monotonic timer may stop while a machine is
     * suspended. To determine how long ago something happened, the engine uses the longer of the two differences.
     *
     * @return the date and time, which may jump; for a clock without one, {@link #now}
     */
    default Instant wallTime() {
        return now();
    }

    /**
     * Pauses the calling thread.
     *
     * @param pause how long; positive
     * @throws InterruptedException if the caller is interrupted while it waits
     */
    void sleep(Duration pause) throws InterruptedException;

    /**
     * Returns the system clocks. Its current time is that of a monotonic timer, which does not jump when the wall clock
     * is set.
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
