package io.counterpoint.idempotency.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** As {@link ExplorerTest}, with more of everything: minutes, not seconds. */
@Tag("large")
@Timeout(3600)
class LargeExplorerTest {

    @ParameterizedTest
    @CsvSource({"3, 1, 1", "2, 2, 2", "3, 2, 1", "3, 1, 2"})
    void noScheduleBreaksAPromise(int callers, int tries, int faults) {
        long[] schedules = new long[1];
        long[] states = new long[1];
        long[] millis = new long[1];
        String bounds = callers + " callers, tries of each: " + tries + ", faults: " + faults;
        System.out.println(bounds);
        Scenarios.within(callers, tries, faults).forEach(scenario -> {
            Exploration explored = Explorer.explore(scenario);
            System.out.println(explored);
            assertThat(explored.counterExample()).as(scenario.name()).isNull();
            schedules[0] += explored.schedules();
            states[0] += explored.states();
            millis[0] += explored.millis();
        });
        System.out.printf("%s: %,d schedules, %,d states, %,d s%n", bounds, schedules[0], states[0], millis[0] / 1000);
    }
}
