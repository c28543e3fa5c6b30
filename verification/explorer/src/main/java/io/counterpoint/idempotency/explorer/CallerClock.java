package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.explorer.Scenario.Clocks;
import java.time.Duration;
import java.time.Instant;

/** The clock of one caller. It advances while the caller sleeps, and by a retention whenever records are purged. */
final class CallerClock implements IdempotencyClock {

    private static final Duration SLEEP = Duration.ofSeconds(3);

    private final Caller caller;

    private int purges;
    private int sleeps;
    private int jumps;

    CallerClock(Caller caller) {
        this.caller = caller;
    }

    /** Called before the next call. */
    void reset() {
        purges = 0;
        sleeps = 0;
        jumps = 0;
    }

    @Override
    public Instant now() {
        Duration passed = passed();
        boolean goesOn = caller.execution().scenario().clocks() != Clocks.STAND_STILL;
        Instant asleep = Instant.EPOCH.plus(SLEEP.multipliedBy(sleeps));
        return goesOn ? asleep.plus(passed) : asleep;
    }

    @Override
    public Instant wallTime() {
        if (caller.execution().scenario().clocks() == Clocks.JUMP) {
            jumps++;
        }
        return Instant.EPOCH.plus(passed()).plus(Configuration.RETENTION.multipliedBy(jumps));
    }

    /** The retentions that have passed, since records were purged. */
    private Duration passed() {
        int now = caller.execution().database().purges();
        if (now != purges) {
            purges = now;
            caller.history().append("purged;");
        }
        return Configuration.RETENTION.multipliedBy(purges);
    }

    @Override
    public void sleep(Duration pause) throws InterruptedException {
        caller.requireNotGone();
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before a sleep");
        }
        if (caller.configuration().losesAnything()) {
            Object unused = caller.pass(new SessionRequests.Sleep(caller));
        }
        sleeps++;
    }

    String state() {
        return String.valueOf(sleeps);
    }
}
