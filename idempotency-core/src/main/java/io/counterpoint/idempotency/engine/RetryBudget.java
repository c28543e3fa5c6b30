package io.counterpoint.idempotency.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Bounds how often, and for how long in all, a step is tried again that the store did not answer. */
final class RetryBudget {

    private static final int TRIES = 6;
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final Waiting waiting;
    private final Duration longest;
    private final long most;
    private Optional<Instant> since = Optional.empty();
    private int tries;

    private RetryBudget(Waiting waiting, Duration longest, long most) {
        this.waiting = waiting;
        this.longest = longest;
        this.most = most;
    }

    /** The budget while nothing is in doubt. */
    static RetryBudget withoutDoubt(Waiting waiting) {
        return new RetryBudget(waiting, LONGEST, TRIES);
    }

    /** The budget to settle what is in doubt. Pauses double up to their longest, so more tries fit in. */
    static RetryBudget toSettle(Waiting waiting, Duration longest) {
        // To divide one Duration by another allocates 9 KiB in Java 17, and an external call makes a budget each time.
        return new RetryBudget(waiting, longest, TRIES + longest.toMillis() / (Waiting.LONGEST_PAUSE.toMillis() / 2));
    }

    /** Counts the time anew from the next unanswered step, so that long work does not use it up. */
    void restartTime() {
        since = Optional.empty();
    }

    /** Whether another try is left, without a pause. Counts it. */
    boolean isLeft() {
        Instant now = waiting.now();
        since = since.or(() -> Optional.of(now));
        return ++tries < most && Duration.between(since.orElseThrow(), now).compareTo(longest) < 0;
    }

    /** Whether another try is left. If so, the pause before it has passed. */
    boolean isLeftAfterPause() {
        boolean left = isLeft();
        if (left) {
            waiting.pause(tries);
        }
        return left;
    }
}
