package io.counterpoint.idempotency.torture;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/** Decides when a segment has run for long enough. Times count from the first query. */
final class Enough {

    /** The longest that a mode may take for its share of the quantities. */
    private static final Duration LONGEST_MODE = Duration.ofMinutes(8);

    static final long SHORTEST_MILLIS = 1_500;

    private static final long LONGEST_MILLIS_OF_A_FAILOVER = 15_000;
    private static final long CALLS_OF_A_MUTANT = 400;
    private static final long LONGEST_MILLIS_OF_A_MUTANT = 8_000;

    private Enough() {}

    static Predicate<Ledger> timePassed(long millis) {
        AtomicLong end = new AtomicLong();
        return ledger -> {
            boolean unused = end.compareAndSet(0, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
            return System.nanoTime() > end.get();
        };
    }

    /** Enough calls to check for violations, even on a busy machine. */
    static Predicate<Ledger> forAMutant() {
        Predicate<Ledger> early = timePassed(SHORTEST_MILLIS);
        Predicate<Ledger> late = timePassed(LONGEST_MILLIS_OF_A_MUTANT);
        return ledger -> (early.test(ledger) && ledger.answered() >= CALLS_OF_A_MUTANT) || late.test(ledger);
    }

    /** The keys and calls before the segment count, too, and so do all faults in the log. */
    static Predicate<Ledger> quantities(Quantities wanted, Quantities before, FaultLog faults) {
        Predicate<Ledger> late = timePassed(LONGEST_MODE.toMillis());
        return ledger -> Quantities.of(
                                before.keys() + ledger.stories().size(),
                                before.calls() + ledger.answered(),
                                faults.counts())
                        .reach(wanted)
                || late.test(ledger);
    }

    /** The same for quantities that only the modes with a standby have. */
    static Predicate<Ledger> failoverQuantities(Quantities wanted, FaultLog faults) {
        Predicate<Ledger> late = timePassed(LONGEST_MODE.toMillis());
        return ledger -> Quantities.of(0, 0, faults.counts()).reach(wanted) || late.test(ledger);
    }

    /** This many more failovers than the log contains now. */
    static Predicate<Ledger> failovers(int many, FaultLog faults) {
        long before = failovers(faults);
        Predicate<Ledger> late = timePassed(LONGEST_MILLIS_OF_A_FAILOVER * many);
        return ledger -> failovers(faults) >= before + many || late.test(ledger);
    }

    private static long failovers(FaultLog faults) {
        return faults.count(FaultType.STANDBY_PROMOTED) + faults.count(FaultType.PRIMARY_FENCED);
    }
}
