package io.counterpoint.idempotency.explorer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs batches through every schedule within a scenario, until a promise is broken or no schedule is left. */
final class BatchExplorer {

    private BatchExplorer() {}

    /**
     * What came of it.
     *
     * @param schedules how many schedules were run
     * @param states how many states were seen
     * @param broken the promise that was broken, if one was
     * @param words what happens in the schedule that broke it
     */
    record Result(
            String name,
            long schedules,
            int states,
            long millis,
            @Nullable String broken,
            List<String> words) {
        @Override
        public String toString() {
            return String.format(
                    "%-60s %,12d schedules %,12d states %,9d ms%s",
                    name,
                    schedules,
                    states,
                    millis,
                    broken == null
                            ? ""
                            : System.lineSeparator() + "  " + broken + ":\n    " + String.join("\n    ", words));
        }
    }

    static Result explore(BatchScenario scenario) {
        long start = System.nanoTime();
        Choices choices = new Choices(Integer.MAX_VALUE);
        List<BatchCaller> callers = new ArrayList<>();
        for (int i = 0; i <= scenario.batches().size(); i++) {
            callers.add(BatchCaller.onItsThread(i));
        }
        try {
            long schedules = 0;
            String broken;
            do {
                schedules++;
                broken = new BatchSchedule(scenario, choices, callers, null).run();
            } while (broken == null && choices.next());
            List<String> words = new ArrayList<>();
            if (broken != null) {
                String unused = new BatchSchedule(scenario, Choices.of(choices.made()), callers, words).run();
            }
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            return new Result(scenario.name(), schedules, choices.states(), millis, broken, words);
        } finally {
            callers.forEach(BatchCaller::quit);
        }
    }
}
