package io.counterpoint.idempotency.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No schedule of two callers with two tries each and one fault breaks a promise. */
class ExplorerTest {

    /** One of each protocol. */
    static Stream<Scenario> ofEachProtocol() {
        Set<String> names = Set.of(
                "CLAIM_FIRST, fail",
                "SINGLE_TRANSACTION",
                "RECORD_LAST",
                "RECORD_LAST, turns, wait",
                "EXTERNAL",
                "EXTERNAL_THEN");
        return Scenarios.within(2, 1, 1).filter(scenario -> names.contains(scenario.name()));
    }

    static Stream<Scenario> waysToAFollowUp() {
        return Scenarios.within(2, 1, 1).filter(scenario -> scenario.name().startsWith("EXTERNAL_THEN"));
    }

    static Stream<Scenario> ofTwoTries() {
        return Scenarios.within(2, 2, 1);
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @Timeout(600)
    @MethodSource("ofEachProtocol")
    void noScheduleOfAProtocolBreaksAPromise(Scenario scenario) {
        explore(scenario);
    }

    @ParameterizedTest
    @Tag("thorough")
    @Execution(ExecutionMode.CONCURRENT)
    @Timeout(600)
    @MethodSource({
        "waysToAFollowUp",
        "io.counterpoint.idempotency.explorer.Scenarios#endingTransactions",
        "io.counterpoint.idempotency.explorer.Scenarios#throwing",
        "io.counterpoint.idempotency.explorer.Scenarios#reused"
    })
    void noShortScheduleBreaksAPromise(Scenario scenario) {
        explore(scenario);
    }

    @ParameterizedTest
    @Tag("thorough")
    @Execution(ExecutionMode.CONCURRENT)
    @Timeout(600)
    @MethodSource({"ofTwoTries", "io.counterpoint.idempotency.explorer.Scenarios#replicated"})
    void noScheduleBreaksAPromise(Scenario scenario) {
        explore(scenario);
    }

    private static void explore(Scenario scenario) {
        Exploration explored = Explorer.explore(scenario);

        System.out.println(explored);
        assertThat(explored.counterExample()).as(scenario.name()).isNull();
    }
}
