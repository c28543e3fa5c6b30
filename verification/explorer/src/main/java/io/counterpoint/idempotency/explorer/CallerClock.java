package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.IdempotencyClock;
import java.time.Duration;
import java.time.Instant;

/** The time of one caller, which goes on while it sleeps, and by a retention whenever records are purged. */
final class CallerClock implements IdempotencyClock {

    private static final Duration SLEEP = Duration.ofSeconds(3);

    private final Caller caller;

    private int purges;
    private int sleeps;

    CallerClock(Caller caller) {
        this.caller = caller;
    }

    /** Before the next call. */
    void reset() {
        purges = 0;
        sleeps = 0;
    }

    @Override
    public Instant now() {
        int now = caller.execution().database().purges();
        if (now != purges) {
            purges = now;
            caller.history().append("purged;");
        }
        return Instant.EPOCH.plus(SLEEP.multipliedBy(sleeps)).plus(Configuration.RETENTION.multipliedBy(purges));
    }

    @Override
    public void sleep(Duration pause) {
        caller.requireNotGone();
        sleeps++;
    }

    String state() {
        return String.valueOf(sleeps);
    }
}
