package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.IdempotencyClock;
import java.time.Duration;
import java.time.Instant;

/** A clock whose sleeper sleeps no real time, after something that a test wants to happen meanwhile. */
final class TestClock implements IdempotencyClock {

    Runnable meanwhile = () -> {};
    int sleeps;
    private Instant now = Instant.EPOCH;

    @Override
    public Instant now() {
        return now;
    }

    @Override
    public void sleep(Duration pause) throws InterruptedException {
        sleeps++;
        meanwhile.run();
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        now = now.plus(pause);
    }
}
