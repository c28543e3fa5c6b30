package io.counterpoint.idempotency.torture;

import java.util.EnumMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** What happened in each second of a run. */
final class Timeline {

    private final long start;
    private final TreeMap<Integer, Second> seconds = new TreeMap<>();

    Timeline(long startMillis) {
        this.start = startMillis;
    }

    /** The sums of one second. */
    static final class Second {
        final Map<Answer, Long> answers = new EnumMap<>(Answer.class);
        final Map<FaultType, Long> faults = new EnumMap<>(FaultType.class);
    }

    synchronized void answered(long millis, Answer answer) {
        at(millis).answers.merge(answer, 1L, Long::sum);
    }

    synchronized void add(long millis, FaultType fault, long count) {
        at(millis).faults.merge(fault, count, Long::sum);
    }

    private Second at(long millis) {
        return seconds.computeIfAbsent((int) Math.max(0, (millis - start) / 1_000), second -> new Second());
    }

    /** The seconds of the run in which anything happened, by number. */
    synchronized SortedMap<Integer, Second> seconds() {
        return new TreeMap<>(seconds);
    }
}
