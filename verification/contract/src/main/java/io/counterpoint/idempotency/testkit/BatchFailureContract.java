package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.InjectedFault;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What an exception of a batch means: nothing for any attempt, unless the attempt was alone. */
abstract class BatchFailureContract<C> extends BatchContractTest<C> {

    private static final List<String> FIVE = List.of("a", "b", "c", "d", "e");

    BatchFailureContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Test
    void poisonFailsAloneAndItsNeighboursAreExecuted() {
        for (Throwable thrown : List.of(new Exception("checked"), new IllegalStateException("unchecked"))) {
            String at = "-" + runs.size();
            List<String> names = FIVE.stream().map(name -> name + at).toList();
            String poison = names.get(3);

            List<BatchResult<String>> answers =
                    together().executeAll(attempts(names.toArray(String[]::new)), writing(names, poison, thrown));

            assertThat(answers.get(3)).isEqualTo(new BatchResult.Thrown<>(key(poison), thrown));
            assertThat(summary(answers))
                    .filteredOn(answer -> answer.startsWith("Executed"))
                    .hasSize(4);
            assertThat(isFailed(poison)).isTrue();
            assertThat(effects())
                    .doesNotContain(poison)
                    .containsOnlyOnce(names.get(0), names.get(1), names.get(2), names.get(4));
        }
    }

    @Test
    void twoThatFailOnlyTogetherAreBothExecuted() {
        List<BatchResult<String>> answers = together().executeAll(attempts("a", "b"), (handle, leading) -> {
            if (leading.size() > 1) {
                throw new IllegalStateException("only together");
            }
            return writing("a", "b").apply(handle, leading);
        });

        assertThat(summary(answers)).containsExactly("Executed a", "Executed b");
        assertThat(effects()).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void separateWorkPointsAtThePoisonAndTheOthersRunInOrder() {
        List<String> began = new ArrayList<>();
        IllegalStateException thrown = new IllegalStateException("poison");

        List<BatchResult<String>> answers = together()
                .executeEach(attempts(FIVE.toArray(String[]::new)), (handle, attempt) -> {
                    String name = FIVE.get(attempt.index());
                    began.add(name);
                    domain.write(handle, name);
                    if (name.equals("c")) {
                        throw thrown;
                    }
                    return name;
                });

        assertThat(summary(answers))
                .containsExactly("Executed a", "Executed b", "IllegalStateException", "Executed d", "Executed e");
        assertThat(began).containsExactly("a", "b", "c", "a", "b", "c", "d", "e");
        assertThat(effects()).containsExactlyInAnyOrder("a", "b", "d", "e");
    }

    @Test
    void resultThatCannotBeStoredIsItsOwnAttemptsFailure() {
        List<BatchResult<String>> answers = Batch.inOneTransaction(operation(options -> options.maxResultBytes(10)))
                .executeEach(attempts(FIVE.toArray(String[]::new)), (handle, attempt) -> {
                    String name = FIVE.get(attempt.index());
                    domain.write(handle, name);
                    return name.equals("b") ? nothing() : name.equals("d") ? "larger than allowed" : name;
                });

        assertThat(summary(answers))
                .containsExactly(
                        "Executed a",
                        "UnstorableResultException",
                        "Executed c",
                        "UnstorableResultException",
                        "Executed e");
        assertThat(effects()).containsExactlyInAnyOrder("a", "c", "e");
        assertThat(isFailed("b") && isFailed("d")).isTrue();
    }

    // Work may return null despite its contract.
    @SuppressWarnings("NullAway")
    private static String nothing() {
        return null;
    }

    @Test
    void missingResultIsItsOwnAttemptsFailure() {
        List<BatchResult<String>> answers = together().executeAll(attempts("a", "b", "c"), (handle, leading) -> {
            List<String> results = new ArrayList<>(writing("a", "b", "c").apply(handle, leading));
            results.replaceAll(result -> result.equals("b") ? nothing() : result);
            return results;
        });

        assertThat(summary(answers)).containsExactly("Executed a", "UnstorableResultException", "Executed c");
        assertThat(effects()).containsExactlyInAnyOrder("a", "c");
    }

    /** Nobody can tell whose result is missing, and smaller parts would repeat the same mistake. */
    @Test
    void workWithFewerResultsThanAttemptsIsRolledBackOnceAndRefused() {
        List<BatchResult<String>> answers = together()
                .executeAll(
                        attempts("a", "b", "c"),
                        (handle, leading) ->
                                writing("a", "b", "c").apply(handle, leading).subList(0, leading.size() - 1));

        assertThat(answers)
                .allSatisfy(answer -> assertThatThrownBy(answer::orElseThrow)
                        .isInstanceOfSatisfying(
                                NotStartedException.class,
                                refused -> assertThat(refused.isRetryable()).isFalse())
                        .hasMessageContainingAll("3 attempts", "2 results"));
        assertThat(runs).hasSize(1);
        assertThat(effects()).isEmpty();
        assertThat(Stream.of("a", "b", "c").map(value -> read(key(value))))
                .allSatisfy(record -> assertThat(record).isEmpty());
    }

    @Test
    void batchOfOneWhoseWorkReturnsNoResultIsRefusedAndItsKeyIsFree() {
        List<BatchResult<String>> answers = together().executeAll(attempts("a"), (handle, leading) -> List.of());

        assertThat(answers)
                .singleElement()
                .satisfies(answer -> assertThatThrownBy(answer::orElseThrow)
                        .isInstanceOf(NotStartedException.class)
                        .hasMessageContainingAll("1 attempts", "0 results"));
        assertThat(read(key("a"))).isEmpty();
        assertThat(summary(executeAll("a"))).containsExactly("Executed a");
    }

    @Test
    void resultsThatAreTooLargeTogetherAreStoredBySeveralTransactions() {
        List<BatchResult<String>> answers =
                together().maxTransactionBytes(3).executeAll(attempts("a", "b", "c", "d"), writing("a", "b", "c", "d"));

        assertThat(summary(answers)).containsExactly("Executed a", "Executed b", "Executed c", "Executed d");
        assertThat(runs).containsExactly(List.of("a", "b", "c", "d"), List.of("a", "b"), List.of("c", "d"));
    }

    @Test
    void passingFaultsFailNobody() {
        for (StoreCall call : List.of(StoreCall.CLAIM, StoreCall.SUCCEED, StoreCall.COMMIT)) {
            for (Fault fault : List.of(Fault.CONFLICT, Fault.LOCK_TIMEOUT, Fault.CANCELLED, Fault.CONNECTION_LOST)) {
                String at = "-" + call + "-" + fault;
                faulty.at(call).fails(fault);

                List<BatchResult<String>> answers = executeAll("a" + at, "b" + at, "c" + at);

                assertThat(summary(answers)).containsExactly("Executed a" + at, "Executed b" + at, "Executed c" + at);
                assertThat(effects()).containsOnlyOnce("a" + at, "b" + at, "c" + at);
                faulty.disarm();
            }
        }
    }

    @Test
    void passingFaultOfTheWorkFailsNobody() {
        List<BatchResult<String>> answers = together().executeAll(attempts("a", "b", "c"), (handle, leading) -> {
            List<String> results = writing("a", "b", "c").apply(handle, leading);
            if (runs.size() == 1) {
                throw new InjectedFault(Fault.CONFLICT);
            }
            return results;
        });

        assertThat(summary(answers)).containsExactly("Executed a", "Executed b", "Executed c");
        assertThat(effects()).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    void storeThatCannotBeReachedStartsNothing() {
        faulty.at(StoreCall.OPEN).fails(Fault.CONNECTION_LOST).always();

        assertThat(summary(executeAll("a", "b", "c")))
                .containsOnly("NotStartedException")
                .hasSize(3);

        assertThat(runs).isEmpty();
    }

    @Test
    void releasedAttemptsLeaveNoRecord() {
        Batch<C, String> releasing = Batch.inOneTransaction(operation(options -> options.releaseOn(thrown -> true)));

        List<BatchResult<String>> answers = releasing.executeAll(
                attempts("a", "b", "c"), writing(List.of("a", "b", "c"), "b", new IllegalStateException("try again")));

        assertThat(summary(answers)).containsExactly("Executed a", "IllegalStateException", "Executed c");
        assertThat(read(key("b"))).isEmpty();
        assertThat(summary(executeAll("b"))).containsExactly("Executed b");
    }

    @Test
    void interruptOfTheFirstRunLosesNothing() {
        Thread.currentThread().interrupt();
        List<BatchResult<String>> answers = together().executeAll(attempts("a", "b"), (handle, leading) -> {
            if (Thread.interrupted()) {
                throw new InterruptedException("stopped");
            }
            return writing("a", "b").apply(handle, leading);
        });

        assertThat(Thread.interrupted()).isTrue();
        assertThat(answers)
                .allMatch(answer -> answer.asOptional()
                        .filter(Outcome.Executed.class::isInstance)
                        .isPresent());
    }
}
