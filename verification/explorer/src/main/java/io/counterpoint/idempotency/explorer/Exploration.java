package io.counterpoint.idempotency.explorer;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of it.
 *
 * @param scenario what was explored
 * @param schedules how many schedules were run
 * @param states how many states were seen
 * @param millis how long it took
 * @param counterExample the schedule that broke a promise, if one did
 */
record Exploration(
        Scenario scenario,
        long schedules,
        int states,
        long millis,
        @Nullable CounterExample counterExample) {

    @Override
    public String toString() {
        return String.format(
                "%-60s %,12d schedules %,12d states %,9d ms%s",
                scenario.name(),
                schedules,
                states,
                millis,
                counterExample == null ? "" : System.lineSeparator() + counterExample);
    }

    /**
     * A schedule that breaks a promise.
     *
     * @param promise which
     * @param choices to replay it from
     * @param words what happens in it
     */
    record CounterExample(String promise, List<Integer> choices, List<String> words) {
        @Override
        public String toString() {
            return "  " + promise + ":\n    " + String.join("\n    ", words) + "\n  replay: " + choices;
        }
    }
}
