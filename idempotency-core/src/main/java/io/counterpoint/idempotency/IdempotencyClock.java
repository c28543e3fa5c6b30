package io.counterpoint.idempotency;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * Time as the engine sees it: to bound a wait, to pause between two tries, and to know when a missing record proves
 * nothing any more. It decides when to look, never what is true; the age and expiry of records are the store's own time.
 */
public interface IdempotencyClock {

    /**
     * Returns the current time. Only differences count: the epoch is the clock's own.
     *
     * @return an instant; never before one that this clock gave earlier
     */
    Instant now();

    /**
     * The wall clock, beside {@link #now}: a monotonic timer may stand still while a machine is suspended. To judge how
     * long ago something was, the engine takes the longer of both differences.
     *
     * @return the date and time, which may jump; of a clock without one, {@link #now}
     */
    default Instant wallTime() {
        return now();
    }

    /**
     * Pauses the calling thread.
     *
     * @param pause for how long; positive
     * @throws InterruptedException if the caller is interrupted meanwhile
     */
    void sleep(Duration pause) throws InterruptedException;

    /**
     * Returns the system clocks. The present is that of its monotonic timer, which does not jump when the wall clock
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
