package io.counterpoint.idempotency.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.broken.BrokenStore;
import io.counterpoint.idempotency.explorer.Configuration.Abandoned;
import io.counterpoint.idempotency.explorer.Exploration.CounterExample;
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

    private static final Configuration TOGETHER = Configuration.singleTransaction();
    private static final Configuration RELEASED = TOGETHER.releasing();
    private static final Configuration LAST = Configuration.recordLast(Abandoned.FAIL);
    private static final Configuration EACH = Configuration.claimFirst(Abandoned.FAIL);

    static Stream<Scenario> scenarios() {
        return Stream.of(
                Scenario.ofBatches("together, crossed", 1, TOGETHER, CROSSED),
                Scenario.ofBatches("together, chained, poison", 1, TOGETHER, CHAINED, "b"),
                Scenario.ofBatches("together, repeated", 1, TOGETHER, REPEATED),
                Scenario.ofBatches("together, chained, poison, without results", 1, TOGETHER, CHAINED, "b")
                        .withoutResults(),
                Scenario.ofBatches("together, poison later, over nodes", 2, RELEASED, ALONE, "b")
                        .losingLocks(),
                Scenario.ofBatches("together, crossed, over nodes", 1, RELEASED, CROSSED, "b")
                        .losingLocks(),
                Scenario.ofBatches("record last, crossed", 1, LAST, CROSSED),
                Scenario.ofBatches("record last, chained, poison", 1, LAST, CHAINED, "b"),
                Scenario.ofBatches("record last, repeated", 1, LAST, REPEATED),
                Scenario.ofBatches("record last, poison, two faults", 2, LAST, ALONE, "b"),
                Scenario.ofBatches("record last, chained, poison, without results", 1, LAST, CHAINED, "b")
                        .withoutResults(),
                Scenario.ofBatches("record last, poison later, over nodes", 2, LAST, ALONE, "b")
                        .losingLocks(),
                Scenario.ofBatches("each its own, crossed", 1, EACH, CROSSED),
                Scenario.ofBatches("each its own, chained, poison", 1, EACH, CHAINED, "b"),
                Scenario.ofBatches("each its own, repeated", 1, EACH, REPEATED));
    }

    static Stream<Scenario> mutants() {
        return Stream.of(
                Scenario.ofBatches("claims that are committed before the work", 0, TOGETHER, CROSSED)
                        .above(store -> new WrongBatchStore(store, WrongBatchStore.Fault.CLAIMS_COMMIT)),
                Scenario.ofBatches("locks in an order of each caller's own", 0, TOGETHER, CROSSED)
                        .above(store -> new WrongBatchStore(store, WrongBatchStore.Fault.CLAIMS_BACKWARDS)),
                Scenario.ofBatches("one token for all attempts", 0, TOGETHER, CROSSED)
                        .above(store -> new WrongBatchStore(store, WrongBatchStore.Fault.ONE_TOKEN)),
                Scenario.ofBatches("an exception of joint work fails all", 0, TOGETHER, CHAINED, "b")
                        .above(store -> new WrongBatchStore(store, WrongBatchStore.Fault.ALL_FAIL)),
                Scenario.ofBatches("answers in the order of the keys", 0, TOGETHER, CHAINED)
                        .answering(BatchExplorerTest::inTheOrderOfKeys),
                Scenario.ofBatches("records of others are not looked for", 0, TOGETHER, CROSSED)
                        .above(BrokenStore.BATCH_LEADS_AND_COUNTS_NO_MARKS::over),
                Scenario.ofBatches("a doubt of a batch cleared by its claims, over nodes", 1, RELEASED, ALONE, "b")
                        .losingLocks()
                        .above(BrokenStore.LOCKS_ARE_TAKEN_FOR_GLOBAL::over),
                Scenario.ofBatches("inserts leave out the records that are there", 0, LAST, CROSSED)
                        .above(BrokenStore.BATCH_INSERT_LEAVES_RECORDS_OUT::over),
                Scenario.ofBatches("a failure keeps nothing out that is on its way", 2, LAST, ALONE, "b")
                        .above(BrokenStore.FAIL_REMOVES_THE_RECORD::over),
                Scenario.ofBatches("an unanswered commit is not looked for", 1, TOGETHER, ALONE)
                        .above(BrokenStore.BATCH_LEADS_AND_COUNTS_NO_MARKS::over));
    }

    private static List<? extends BatchResult<?>> inTheOrderOfKeys(List<? extends BatchResult<?>> answers) {
        return answers.stream().sorted(Comparator.comparing(BatchResult::key)).toList();
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @MethodSource("scenarios")
    void noScheduleOfBatchesBreaksAPromise(Scenario scenario) {
        Exploration explored = Explorer.explore(scenario);

        System.out.println(explored);
        assertThat(explored.counterExample()).as(explored.toString()).isNull();
        assertThat(explored.schedules()).isGreaterThan(100);
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @MethodSource("mutants")
    void mutantOfBatchesIsRefuted(Scenario mutant) {
        Exploration refuted = Explorer.explore(mutant);

        System.out.println(refuted);
        CounterExample example = refuted.counterExample();
        assertThat(example).as(mutant.name()).isNotNull();
        assertThat(example.words()).isNotEmpty();
    }
}
