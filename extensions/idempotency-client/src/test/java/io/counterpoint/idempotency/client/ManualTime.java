package io.counterpoint.idempotency.client;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** A clock that stands still, except where a call sleeps. */
final class ManualTime extends Clock implements Sleeper {

    static final Instant START = Instant.parse("2026-01-01T12:00:00Z");

    final List<Duration> pauses = new ArrayList<>();

    /** What happens in each pause. */
    Runnable meanwhile = () -> {};

    private Instant now = START;

    @Override
    public void sleep(Duration pause) throws InterruptedException {
        pauses.add(pause);
        now = now.plus(pause);
        meanwhile.run();
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    void advance(Duration time) {
        now = now.plus(time);
    }

    @Override
    public Instant instant() {
        return now;
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}
