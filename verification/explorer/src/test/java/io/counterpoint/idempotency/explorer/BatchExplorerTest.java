package io.counterpoint.idempotency.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.broken.BrokenStore;
import io.counterpoint.idempotency.explorer.Exploration.CounterExample;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No schedule of two callers with overlapping batches breaks a promise, with one fault. Without a rule of batches, one
 * does. Two rules have no schedule: the bounds of a batch, and that a rival costs one wait. The contract of stores shows
 * them.
 */
@Tag("thorough")
@Timeout(600)
class BatchExplorerTest {

    private static final List<List<String>> ALONE = List.of(List.of("b", "a"));
    private static final List<List<String>> CROSSED = List.of(List.of("a", "b"), List.of("b", "a"));
    private static final List<List<String>> CHAINED = List.of(List.of("b", "a"), List.of("c", "b"));
    private static final List<List<String>> REPEATED = List.of(List.of("b", "a", "b"), List.of("b"));

    static Stream<BatchScenario> scenarios() {
        return Stream.of(
                BatchScenario.of("together, crossed", true, 1, CROSSED),
                BatchScenario.of("together, chained, poison", true, 1, CHAINED, "b"),
                BatchScenario.of("together, repeated", true, 1, REPEATED),
                BatchScenario.of("together, chained, poison, without results", true, 1, CHAINED, "b")
                        .withoutResults(),
                BatchScenario.of("together, poison later, over nodes", true, 2, ALONE, "b")
                        .onSeveralNodes(),
                BatchScenario.of("together, crossed, over nodes", true, 1, CROSSED, "b")
                        .onSeveralNodes(),
                BatchScenario.of("each its own, crossed", false, 1, CROSSED),
                BatchScenario.of("each its own, chained, poison", false, 1, CHAINED, "b"),
                BatchScenario.of("each its own, repeated", false, 1, REPEATED));
    }

    static Stream<BatchScenario> mutants() {
        return Stream.of(
                BatchScenario.of("claims that are committed before the work", true, 0, CROSSED)
                        .above((caller, store) -> new WrongBatchStore(store, WrongBatchStore.Fault.CLAIMS_COMMIT)),
                BatchScenario.of("locks in an order of each caller's own", true, 0, CROSSED)
                        .above((caller, store) -> new WrongBatchStore(
                                store,
                                caller == 1 ? WrongBatchStore.Fault.CLAIMS_BACKWARDS : WrongBatchStore.Fault.NONE)),
                BatchScenario.of("one token for all attempts", true, 0, CROSSED)
                        .above((caller, store) -> new WrongBatchStore(store, WrongBatchStore.Fault.ONE_TOKEN)),
                BatchScenario.of("an exception of joint work fails all", true, 0, CHAINED, "b")
                        .above((caller, store) -> new WrongBatchStore(store, WrongBatchStore.Fault.ALL_FAIL)),
                BatchScenario.of("answers in the order of the keys", true, 0, CHAINED)
                        .answering(BatchExplorerTest::inTheOrderOfKeys),
                BatchScenario.of("records of others are not looked for", true, 0, CROSSED)
                        .above((caller, store) -> BrokenStore.BATCH_LEADS_AND_COUNTS_NO_MARKS.over(store)),
                BatchScenario.of("a doubt of a batch cleared by its claims, over nodes", true, 1, ALONE, "b")
                        .onSeveralNodes()
                        .above((caller, store) -> BrokenStore.LOCKS_ARE_TAKEN_FOR_GLOBAL.over(store)),
                BatchScenario.of("an unanswered commit is not looked for", true, 1, ALONE)
                        .above((caller, store) -> BrokenStore.BATCH_LEADS_AND_COUNTS_NO_MARKS.over(store)));
    }

    private static List<BatchResult<?>> inTheOrderOfKeys(List<? extends BatchResult<?>> answers) {
        List<BatchResult<?>> sorted = new ArrayList<>(answers);
        sorted.sort(Comparator.comparing(BatchResult::key));
        return sorted;
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @MethodSource("scenarios")
    void noScheduleOfBatchesBreaksAPromise(BatchScenario scenario) {
        Exploration<BatchScenario> explored = Explorer.explore(scenario);

        System.out.println(explored);
        assertThat(explored.counterExample()).as(explored.toString()).isNull();
        assertThat(explored.schedules()).isGreaterThan(100);
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @MethodSource("mutants")
    void mutantOfBatchesIsRefuted(BatchScenario mutant) {
        Exploration<BatchScenario> refuted = Explorer.explore(mutant);

        System.out.println(refuted);
        CounterExample example = refuted.counterExample();
        assertThat(example).as(mutant.name()).isNotNull();
        assertThat(example.words()).isNotEmpty();
    }
}
