package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.explorer.Exploration.CounterExample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs the engine through every schedule within a scenario's bounds, each from its beginning, until a promise is broken
 * or none is left.
 */
final class Explorer {

    private Explorer() {}

    static <P extends Play<?>> Exploration<P> explore(P scenario) {
        return explore(scenario, Integer.MAX_VALUE);
    }

    /** Looks for a short counter-example: with as few faults, and then as few choices, as it takes. */
    static Exploration<Scenario> refute(Scenario scenario) {
        Exploration<Scenario> found = explore(scenario.within(scenario.bounds().withFaults(0)));
        for (int faults = 1;
                found.counterExample() == null && faults <= scenario.bounds().faults();
                faults++) {
            found = explore(scenario.within(scenario.bounds().withFaults(faults)));
        }
        for (CounterExample example = found.counterExample(); example != null; ) {
            Exploration<Scenario> shorter =
                    explore(found.scenario(), example.choices().size() - 1);
            example = shorter.counterExample();
            found = example == null ? found : shorter;
        }
        return found;
    }

    /** The words of a schedule that was found before. */
    static CounterExample replay(Play<?> scenario, List<Integer> choices) {
        try (Cast<?> cast = Cast.of(scenario)) {
            List<String> words = new ArrayList<>();
            String broken = cast.play(Choices.of(choices), words);
            return new CounterExample(broken == null ? "no promise is broken" : broken, choices, words);
        }
    }

    private static <P extends Play<?>> Exploration<P> explore(P scenario, int longest) {
        long start = System.nanoTime();
        Choices choices = new Choices(longest);
        long schedules = 0;
        CounterExample example = null;
        Play<?> play = scenario;
        try (Cast<?> cast = Cast.of(play)) {
            do {
                schedules++;
                if (cast.play(choices, null) != null) {
                    example = replay(scenario, choices.made());
                }
            } while (example == null && choices.next());
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        return new Exploration<>(scenario, schedules, choices.states(), millis, example);
    }

    /** The threads of an exploration. */
    private static final class Cast<A extends Actor<?>> implements AutoCloseable {
        private final Play<A> scenario;
        private final List<A> actors = new ArrayList<>();

        private Cast(Play<A> scenario) {
            this.scenario = scenario;
            for (int i = 0; i <= scenario.actors(); i++) {
                actors.add(Actor.onItsThread(scenario.actor(i)));
            }
        }

        static <A extends Actor<?>> Cast<A> of(Play<A> scenario) {
            return new Cast<>(scenario);
        }

        @Nullable
        String play(Choices choices, @Nullable List<String> words) {
            return scenario.schedule(choices, actors, words).run();
        }

        @Override
        public void close() {
            actors.forEach(Actor::quit);
        }
    }
}
