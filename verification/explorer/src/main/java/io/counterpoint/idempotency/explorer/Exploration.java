package io.counterpoint.idempotency.explorer;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of an exploration.
 *
 * @param scenario what was explored
 * @param schedules the number of schedules that were run
 * @param states the number of states that were seen
 * @param millis how long it took
 * @param counterExample the schedule that broke a promise, if there is one
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
     * @param promise the broken promise
     * @param choices the choices from which it can be replayed
     * @param words the events in it
     */
    record CounterExample(String promise, List<Integer> choices, List<String> words) {
        @Override
        public String toString() {
            return "  " + promise + ":\n    " + String.join("\n    ", words) + "\n  replay: " + choices;
        }
    }
}
