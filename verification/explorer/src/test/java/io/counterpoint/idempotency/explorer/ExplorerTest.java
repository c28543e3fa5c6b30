package io.counterpoint.idempotency.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No schedule of two callers with two tries each and one fault breaks a promise. */
class ExplorerTest {

    static Stream<Scenario> scenarios() {
        return Scenarios.within(2, 2, 1);
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @Timeout(600)
    @MethodSource({
        "scenarios",
        "io.counterpoint.idempotency.explorer.Scenarios#replicated",
        "io.counterpoint.idempotency.explorer.Scenarios#endingTransactions"
    })
    void noScheduleBreaksAPromise(Scenario scenario) {
        Exploration explored = Explorer.explore(scenario);

        System.out.println(explored);
        assertThat(explored.counterExample()).as(scenario.name()).isNull();
    }
}
