package io.counterpoint.idempotency.examples.appplatform;

import java.time.Duration;

/** How far a part was behind at most. Thread-safe. */
final class Lag {

    /**
     * What was measured.
     *
     * @param bound what is promised
     * @param events how many changes it followed
     * @param worst how far it was behind at most
     */
    record Measured(Bound bound, long events, Duration worst) {
        boolean holds() {
            return isWithin(1);
        }

        /** Whether it was behind by no more than so many times its bound. */
        boolean isWithin(int bounds) {
            return worst.compareTo(bound.lag().multipliedBy(bounds)) <= 0;
        }
    }

    private final Bound bound;
    private long events;
    private Duration worst = Duration.ZERO;

    Lag(Bound bound) {
        this.bound = bound;
    }

    synchronized void seen(long more, Duration lag) {
        events += more;
        worst = worst.compareTo(lag) < 0 ? lag : worst;
    }

    /** Begins again: after a warm-up, the compiler's time is no part of it. */
    synchronized void forget() {
        events = 0;
        worst = Duration.ZERO;
    }

    synchronized Measured measured() {
        return new Measured(bound, events, worst);
    }
}
