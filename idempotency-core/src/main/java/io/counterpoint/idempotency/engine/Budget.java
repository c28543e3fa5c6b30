package io.counterpoint.idempotency.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Rule 11: bounds how often, and for how long in total, a step is retried when the store does not reply. */
final class Budget {

    private static final int TRIES = 6;
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final Waiting waiting;
    private final Duration longest;
    private final long most;
    private @Nullable Instant since;
    private int tries;

    private Budget(Waiting waiting, Duration longest, long most) {
        this.waiting = waiting;
        this.longest = longest;
        this.most = most;
    }

    /** The budget while nothing is in doubt. */
    static Budget withoutDoubt(Waiting waiting) {
        return new Budget(waiting, LONGEST, TRIES);
    }

    /**
     * The budget to resolve a commit, given by {@code settleWithin}. Pauses double up to a maximum, so more tries fit
     * in.
     */
    static Budget toSettle(Waiting waiting, Duration longest) {
        // Dividing one Duration by another allocates 9 KiB in Java 17, and every external call creates a budget.
        return new Budget(waiting, longest, TRIES + longest.toMillis() / (Waiting.LONGEST_PAUSE.toMillis() / 2));
    }

    /** Restarts the time at the next step without a reply, so that long work does not use it up. */
    void restartTime() {
        since = null;
    }

    /** Whether another try is left, without a pause. Counts that try. */
    boolean isLeft() {
        boolean timeLeft = isTimeLeft();
        return ++tries < most && timeLeft;
    }

    /** Whether time is left, whatever the number of tries. The time begins with the first question. */
    boolean isTimeLeft() {
        Instant now = waiting.now();
        since = since == null ? now : since;
        return Duration.between(since, now).compareTo(longest) < 0;
    }

    /** This budget, whose time begins now. */
    Budget begun() {
        since = waiting.now();
        return this;
    }

    /** Whether another try is left. If so, pauses before returning. */
    boolean isLeftAfterPause() {
        boolean left = isLeft();
        if (left) {
            waiting.pause(tries);
        }
        return left;
    }

    /** Retries a step until the store replies, as long as its exceptions permit that. */
    <T> T untilAnswered(Supplier<? extends T> step, Predicate<? super Throwable> mayTryAgain) {
        for (; ; ) {
            try {
                return step.get();
            } catch (RuntimeException | Error thrown) {
                if (!mayTryAgain.test(thrown) || !isLeftAfterPause()) {
                    throw thrown;
                }
            }
        }
    }
}
