package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.internal.Backoff;
import java.time.Duration;
import java.time.Instant;

/**
 * Rule 10: time says when to look, never what is true. The waits and pauses of one call, within the wait that its
 * caller allows.
 */
final class Waiting {

    /** The maximum of every wait for another transaction's lock that the caller did not choose. */
    static final Duration LOCK_WAIT = Duration.ofSeconds(1);

    static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(10), LONGEST_PAUSE);
    private static final Duration LONGEST_POLL = Duration.ofMillis(250);
    private static final Duration SHORTEST_WAIT = Duration.ofMillis(1);

    private final IdempotencyClock clock;
    private final Interrupts interrupts;
    private final Duration wait;

    /** Not initialized from the clock for a call that does not wait. */
    private final Instant start;

    private int polls;

    Waiting(IdempotencyClock clock, Duration wait, Interrupts interrupts) {
        this.clock = clock;
        this.interrupts = interrupts;
        this.wait = wait;
        this.start = wait.isZero() ? Instant.MIN : clock.now();
    }

    /** The interrupt of the waiting thread. */
    Interrupts interrupts() {
        return interrupts;
    }

    /** Whether the caller wants to wait for a leader. */
    boolean isWanted() {
        return !wait.isZero();
    }

    /** Whether the caller would continue to wait for a leader. */
    boolean isTimeLeft() {
        return !left().isZero() && !interrupts.isInterrupted();
    }

    /** Sleeps briefly within the remaining wait of the caller. Returns false immediately if no time is left. */
    boolean waitedForLeader() {
        if (!isTimeLeft()) {
            return false;
        }
        sleep(shorter(left(), shorter(LONGEST_POLL, BACKOFF.pause(++polls))));
        return true;
    }

    Duration leftForLock() {
        Duration left = left();
        return left.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : left;
    }

    /** How long a store may hold this caller back before its claim. After that, the call checks the record. */
    Duration leftForClaim() {
        return shorter(LONGEST_POLL, left());
    }

    /** Never negative: a process may be suspended between checking for remaining time and waiting for it. */
    private Duration left() {
        Duration left = wait.isZero() ? Duration.ZERO : wait.minus(Duration.between(start, clock.now()));
        return left.isNegative() ? Duration.ZERO : left;
    }

    void pause(int tries) {
        sleep(BACKOFF.pause(tries));
    }

    Instant now() {
        return clock.now();
    }

    /** The current time on both clocks. */
    Moment moment() {
        return new Moment(nanos(clock.now()), nanos(clock.wallTime()));
    }

    /**
     * Whether this much time has passed on either clock: one stops while the machine is suspended, the other may jump.
     */
    boolean hasPassed(Duration time, Moment since) {
        long enough = time.toNanos();
        Moment present = moment();
        return present.now() - since.now() >= enough || present.wallTime() - since.wallTime() >= enough;
    }

    /** A point in time, by the monotonic timer and by the wall clock, in nanoseconds. */
    record Moment(long now, long wallTime) {}

    private static long nanos(Instant time) {
        return time.getEpochSecond() * 1_000_000_000 + time.getNano();
    }

    private void sleep(Duration pause) {
        try {
            clock.sleep(pause);
        } catch (InterruptedException thrown) {
            interrupts.note(thrown);
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }
}
