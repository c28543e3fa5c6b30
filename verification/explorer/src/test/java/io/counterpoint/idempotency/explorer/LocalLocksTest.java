package io.counterpoint.idempotency.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Where each node locks for itself, and the first to commit wins, no schedule breaks a promise either. */
@Tag("thorough")
class LocalLocksTest {

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @Timeout(600)
    @MethodSource("io.counterpoint.idempotency.explorer.Scenarios#withLocalLocks")
    void noScheduleOverTwoNodesBreaksAPromise(Scenario scenario) {
        Exploration explored = Explorer.explore(scenario);

        System.out.println(explored);
        assertThat(explored.counterExample()).as(scenario.name()).isNull();
    }
}
