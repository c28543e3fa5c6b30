package io.counterpoint.idempotency.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.explorer.Scenario.Clocks;
import io.counterpoint.idempotency.explorer.Scenario.Memory;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every scenario once more: over nodes that lock for themselves, and with clocks that stand still or jump, and by
 * processes that remember nothing, or take the tokens of others for theirs.
 */
class EveryScenarioTest {

    static Stream<Scenario> overTwoNodes() {
        return Scenarios.within(2, 1, 1)
                .map(scenario -> scenario.within(scenario.bounds().withoutRestarts()))
                .map(Scenario::withLocalLocks);
    }

    static Stream<Scenario> withOtherClocks() {
        return Stream.of(Clocks.STAND_STILL, Clocks.JUMP)
                .flatMap(clocks -> Scenarios.within(2, 1, 1).map(scenario -> scenario.with(clocks)));
    }

    /** Two calls of each process: the second one finds what the first has left. */
    static Stream<Scenario> withOtherMemories() {
        return Stream.of(Memory.EMPTY, Memory.FOREIGN)
                .flatMap(memory -> Scenarios.within(2, 2, 1).map(scenario -> scenario.with(memory)));
    }

    @ParameterizedTest
    @Tag("thorough")
    @Execution(ExecutionMode.CONCURRENT)
    @Timeout(1200)
    @MethodSource("overTwoNodes")
    void noScheduleBreaksAPromiseWhereLocksAreLocal(Scenario scenario) {
        explore(scenario);
    }

    @ParameterizedTest
    @Tag("matrix")
    @Execution(ExecutionMode.CONCURRENT)
    @Timeout(1200)
    @MethodSource({"withOtherClocks", "withOtherMemories"})
    void noScheduleBreaksAPromise(Scenario scenario) {
        explore(scenario);
    }

    private static void explore(Scenario scenario) {
        Exploration explored = Explorer.explore(scenario);

        System.out.println(explored);
        assertThat(explored.counterExample()).as(scenario.name()).isNull();
    }
}
