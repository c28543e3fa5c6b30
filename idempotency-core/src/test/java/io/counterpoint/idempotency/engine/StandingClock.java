package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyClock;
import java.time.Duration;
import java.time.Instant;

/** Time passes by sleeps alone, and by what a test adds. */
final class StandingClock implements IdempotencyClock {

    Instant now = Instant.parse("2026-01-01T00:00:00Z");

    @Override
    public Instant now() {
        return now;
    }

    @Override
    public void sleep(Duration duration) {
        now = now.plus(duration);
    }
}
