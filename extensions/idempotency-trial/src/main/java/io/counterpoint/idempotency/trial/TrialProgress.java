package io.counterpoint.idempotency.trial;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;

/** Counts cases, distributes a limited time among their parts, and logs the progress every two seconds. */
final class TrialProgress {

    private static final Logger LOGGER = System.getLogger(FaultInjection.class.getName());
    private static final long EVERY = Duration.ofSeconds(2).toNanos();

    private final long start = System.nanoTime();
    private final Duration bound;
    private final long seed;
    private long printed = start;
    private long partEnds;
    private int planned;
    private int passed;
    private int ran;
    private int missed;

    TrialProgress(Duration bound, long seed) {
        this.bound = bound;
        this.seed = seed;
    }

    void plan(int cases) {
        planned += cases;
    }

    /** Gives each case the same share of the remaining time. */
    void beginPart(int cases) {
        long now = System.nanoTime();
        long left = Math.max(0, bound.toNanos() - (now - start));
        partEnds = now + left / Math.max(1, planned - passed) * cases;
        passed += cases;
    }

    boolean mayRun() {
        long now = System.nanoTime();
        if (now - printed > EVERY) {
            printed = now;
            print("…");
        }
        boolean may = now < partEnds;
        ran += may ? 1 : 0;
        return may;
    }

    /** Records whether a case has reached its call: a use case need not make the same calls every time. */
    void struck(boolean has) {
        missed += has ? 0 : 1;
    }

    void end() {
        print(", seed " + seed + "." + (missed == 0 ? "" : " In " + missed + " of them the call was not made."));
    }

    private void print(String end) {
        long seconds = (System.nanoTime() - start) / 1_000_000_000;
        LOGGER.log(Level.INFO, "Fault injection: " + ran + " of " + planned + " cases in " + seconds + " s" + end);
    }
}
