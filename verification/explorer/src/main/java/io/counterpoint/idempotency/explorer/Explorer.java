package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.explorer.Exploration.CounterExample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs the engine through every schedule within a scenario's bounds, each from its beginning, until a promise is broken
 * or no schedule is left.
 */
final class Explorer {

    private Explorer() {}

    static Exploration explore(Scenario scenario) {
        return explore(scenario, Integer.MAX_VALUE);
    }

    /** Searches for a short counter-example, with the minimum number of faults, and then of choices. */
    static Exploration refute(Scenario scenario) {
        Exploration found = explore(scenario.within(scenario.bounds().withFaults(0)));
        for (int faults = 1;
                found.counterExample() == null && faults <= scenario.bounds().faults();
                faults++) {
            found = explore(scenario.within(scenario.bounds().withFaults(faults)));
        }
        for (CounterExample example = found.counterExample(); example != null; ) {
            Exploration shorter = explore(found.scenario(), example.choices().size() - 1);
            example = shorter.counterExample();
            found = example == null ? found : shorter;
        }
        return found;
    }

    /** Describes a schedule that was found earlier. */
    static CounterExample replay(Scenario scenario, List<Integer> choices) {
        try (Cast cast = new Cast(scenario)) {
            List<String> words = new ArrayList<>();
            String broken = cast.play(Choices.of(choices), words);
            return new CounterExample(broken == null ? "no promise is broken" : broken, choices, words);
        }
    }

    private static Exploration explore(Scenario scenario, int longest) {
        long start = System.nanoTime();
        Choices choices = new Choices(longest);
        long schedules = 0;
        CounterExample example = null;
        try (Cast cast = new Cast(scenario)) {
            do {
                schedules++;
                if (cast.play(choices, null) != null) {
                    example = replay(scenario, choices.made());
                }
            } while (example == null && choices.next());
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        return new Exploration(scenario, schedules, choices.states(), millis, example);
    }

    /** The threads of an exploration. */
    private static final class Cast implements AutoCloseable {
        private final Scenario scenario;
        private final List<Caller> callers = new ArrayList<>();

        Cast(Scenario scenario) {
            this.scenario = scenario;
            for (int i = 0; i <= scenario.bounds().callers(); i++) {
                callers.add(new Caller(i));
            }
            callers.forEach(Caller::start);
        }

        @Nullable
        String play(Choices choices, @Nullable List<String> words) {
            return new Execution(scenario, choices, callers, words).run();
        }

        @Override
        public void close() {
            callers.forEach(Caller::quit);
        }
    }
}
