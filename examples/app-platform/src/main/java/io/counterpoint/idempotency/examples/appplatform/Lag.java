package io.counterpoint.idempotency.examples.appplatform;

import java.time.Duration;

/**
 * How far behind a part has been.
 *
 * @param bound the promise
 * @param events the number of changes that it followed
 * @param worst the longest lag
 */
record Lag(Bound bound, long events, Duration worst) {

    boolean holds() {
        return isWithin(1);
    }

    /** Whether the worst lag is at most the given multiple of the bound. */
    boolean isWithin(int bounds) {
        return worst.compareTo(bound.lag().multipliedBy(bounds)) <= 0;
    }
}
