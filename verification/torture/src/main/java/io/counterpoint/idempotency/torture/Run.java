package io.counterpoint.idempotency.torture;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A run and its results.
 *
 * @param faults the faults in the modes; those in the trials of mutants do not count
 * @param complete whether it ran to its end
 * @param wanted the quantities that it was supposed to reach, if any
 */
record Run(
        Instant start,
        Duration time,
        long seed,
        String command,
        Versions versions,
        List<Segment.Result> modes,
        List<Trial> mutants,
        Map<FaultType, Long> faults,
        boolean complete,
        Optional<Quantities> wanted) {

    /**
     * The trial of a mutant.
     *
     * @param caught its violations; none if it was not caught
     */
    record Trial(Mutant mutant, Verdict caught, Duration time) {
        boolean isCaught() {
            return caught.hasBrokenPromise();
        }
    }

    /** The environment of the run. */
    record Versions(String java, String server, String driver, String os, int processors) {}

    Verdict verdict() {
        Verdict sum = new Verdict();
        modes.forEach(mode -> sum.add(mode.verdict()));
        return sum;
    }

    Map<Answer, Long> answers() {
        Map<Answer, Long> sum = new EnumMap<>(Answer.class);
        modes.forEach(mode -> mode.answers().forEach((answer, count) -> sum.merge(answer, count, Long::sum)));
        return sum;
    }

    long keys() {
        return modes.stream().mapToLong(Segment.Result::keys).sum();
    }

    long answered() {
        return modes.stream().mapToLong(Segment.Result::answered).sum();
    }

    long unanswered() {
        return modes.stream().mapToLong(Segment.Result::unanswered).sum();
    }

    /** Only calls under faults count. */
    Quantities quantities() {
        long calls = modes.stream().mapToLong(Segment.Result::underFaults).sum();
        return Quantities.of(keys(), calls, faults);
    }

    long mutantsCaught() {
        return mutants.stream().filter(Trial::isCaught).count();
    }

    boolean reachesWhatWasWanted() {
        return wanted.map(quantities()::reach).orElse(true);
    }

    boolean passed() {
        return complete && verdict().total() == 0 && mutantsCaught() == mutants.size() && reachesWhatWasWanted();
    }
}
