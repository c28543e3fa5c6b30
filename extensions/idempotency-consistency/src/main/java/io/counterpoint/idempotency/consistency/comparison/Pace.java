package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.IdempotencyClock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Waits, reports progress every two seconds, and stops the work when its thread is interrupted. */
final class Pace {

    private static final Duration BETWEEN = Duration.ofSeconds(2);

    private final String comparison;
    private final IdempotencyClock clock;
    private final Consumer<? super ComparisonProgress> listener;
    private final Instant start;
    private Instant reported;

    Pace(String comparison, IdempotencyClock clock, Consumer<? super ComparisonProgress> listener) {
        this.comparison = comparison;
        this.clock = clock;
        this.listener = listener;
        this.start = clock.now();
        this.reported = start;
    }

    Duration elapsed() {
        return Duration.between(start, clock.now());
    }

    /** Called frequently while work is being done. */
    void step(Supplier<ComparisonProgress> progress) {
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedRunException(comparison);
        }
        if (!clock.now().isBefore(reported.plus(BETWEEN))) {
            reported = clock.now();
            listener.accept(progress.get());
        }
    }

    /** Waits in steps. */
    void await(Duration pause, Supplier<ComparisonProgress> progress) {
        Instant end = clock.now().plus(pause);
        for (Duration left = pause; left.compareTo(Duration.ZERO) > 0; left = Duration.between(clock.now(), end)) {
            try {
                clock.sleep(left.compareTo(BETWEEN) < 0 ? left : BETWEEN);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            step(progress);
        }
    }
}
