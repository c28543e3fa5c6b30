package io.counterpoint.idempotency.torture;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The violations found, with their numbers and the first few examples of each. */
final class Verdict {

    private static final int EXAMPLES = 3;

    private final Map<Violation, Integer> counts = new EnumMap<>(Violation.class);
    private final List<String> examples = new ArrayList<>();
    private long lostReads;

    void found(Violation violation, String what) {
        if (counts.merge(violation, 1, Integer::sum) <= EXAMPLES) {
            examples.add(violation + ": " + what);
        }
    }

    /** An outcome is gone, but its caller had only read it while the commit's wait for the standby was broken. */
    void lostRead() {
        lostReads++;
    }

    /** The number of these. They are no broken promises, see docs/databases.md#what-is-promised. */
    long lostReads() {
        return lostReads;
    }

    int count(Violation violation) {
        return counts.getOrDefault(violation, 0);
    }

    int total() {
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Whether a promise was broken, as opposed to something merely unforeseen. */
    boolean hasBrokenPromise() {
        return total() > count(Violation.UNEXPECTED);
    }

    /** In words: the key, its outcomes, and the contents of the databases. */
    List<String> examples() {
        return List.copyOf(examples);
    }

    void add(Verdict other) {
        other.counts.forEach((violation, count) -> counts.merge(violation, count, Integer::sum));
        examples.addAll(other.examples);
        lostReads += other.lostReads;
    }

    /** The kinds of violations, with their numbers. */
    @Override
    public String toString() {
        return counts.isEmpty()
                ? "none"
                : counts.entrySet().stream()
                        .map(entry -> entry.getValue() + " " + entry.getKey())
                        .collect(Collectors.joining(", "));
    }
}
