package io.counterpoint.idempotency.client;

import java.time.Duration;

/** Waits between two tries. */
@FunctionalInterface
public interface Sleeper {

    /**
     * Waits.
     *
     * @param pause how long; positive
     * @throws InterruptedException if the thread is interrupted; the call then ends without another try
     */
    void sleep(Duration pause) throws InterruptedException;
}
