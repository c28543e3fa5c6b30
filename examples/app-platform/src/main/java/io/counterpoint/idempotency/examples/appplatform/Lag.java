package io.counterpoint.idempotency.examples.appplatform;

import java.time.Duration;

/**
 * How far a part was behind.
 *
 * @param bound what is promised
 * @param events how many changes it followed
 * @param worst how far it was behind at most
 */
record Lag(Bound bound, long events, Duration worst) {

    boolean holds() {
        return isWithin(1);
    }

    /** Whether it was behind by no more than so many times its bound. */
    boolean isWithin(int bounds) {
        return worst.compareTo(bound.lag().multipliedBy(bounds)) <= 0;
    }
}
