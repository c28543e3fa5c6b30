package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.LockScope;
import io.counterpoint.idempotency.testkit.faults.InjectedFault;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** If the reply to a batch's commit is lost, it is resolved for all keys, each by its own record. */
abstract class BatchCommitContract<C> extends BatchContractTest<C> {

    BatchCommitContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Test
    void commitThatArrivedUnansweredIsExecutedAfterOneWrite() {
        faulty.at(StoreCall.COMMIT).losesAnswer();

        assertThat(summary(executeAll("b", "a", "c"))).containsExactly("Executed b", "Executed a", "Executed c");

        assertThat(runs).hasSize(1);
        assertThat(effects()).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(Collections.frequency(faulty.calls(), StoreCall.CONFIRM)).isEqualTo(resolutions(3));
    }

    /** If locks are local, each attempt is resolved separately, with its own commit. */
    private int resolutions(int attempts) {
        return store.lockScope() == LockScope.GLOBAL ? 1 : attempts;
    }

    @Test
    void commitThatDidNotArriveIsRunAgainForAll() {
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);

        assertThat(summary(executeAll("b", "a", "c"))).containsExactly("Executed b", "Executed a", "Executed c");

        assertThat(runs).hasSize(1 + resolutions(3));
        assertThat(effects()).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(faulty.calls()).doesNotContain(StoreCall.CONFIRM);
    }

    @Test
    void commitsInARowAreResolvedByTheLatestThatArrived() {
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
        faulty.at(StoreCall.COMMIT).losesAnswer();
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);

        assertThat(summary(executeAll("a", "b"))).containsExactly("Executed a", "Executed b");

        assertThat(runs).hasSize(1 + resolutions(2));
        assertThat(effects()).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void resolutionThatFailsIsMadeAgain() {
        for (Fault fault : List.of(Fault.CONFLICT, Fault.LOCK_TIMEOUT, Fault.CANCELLED, Fault.CONNECTION_LOST)) {
            for (StoreCall call : List.of(StoreCall.CLAIM, StoreCall.CONFIRM, StoreCall.COMMIT)) {
                String at = "-" + fault + "-" + call;
                faulty.at(StoreCall.COMMIT)
                        .losesAnswer()
                        .after(() -> faulty.at(call).fails(fault));

                assertThat(summary(executeAll("a" + at, "b" + at)))
                        .containsExactly("Executed a" + at, "Executed b" + at);

                assertThat(effects()).containsOnlyOnce("a" + at, "b" + at);
                faulty.disarm();
            }
        }
    }

    @Test
    void commitThatCannotBeResolvedIsUnknownForAll() {
        faulty.at(StoreCall.COMMIT)
                .losesAnswer()
                .after(() ->
                        faulty.at(StoreCall.OPEN).fails(Fault.CONNECTION_LOST).always());

        List<BatchResult<String>> answers = executeAll("a", "b", "c");

        assertThat(summary(answers)).containsOnly("OutcomeUnknownException").hasSize(3);
        faulty.disarm();
        assertThat(summary(executeAll("a", "b", "c"))).containsExactly("Replayed a", "Replayed b", "Replayed c");
        assertThat(effects()).containsExactlyInAnyOrder("a", "b", "c");
    }

    /** The records may have been purged by then, so their absence does not prove that the work has to run again. */
    @Test
    void batchInDoubtForLongerThanTheRetentionIsUnknownIfThereAreNoRecords() {
        Batch<C, String> batch = Batch.inOneTransaction(operation(options -> options));
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);

        List<BatchResult<String>> answers = batch.executeAll(attempts("a", "b", "c"), (handle, attempts) -> {
            clock.advance(Duration.ofDays(2));
            return writing("a", "b", "c").apply(handle, attempts);
        });

        assertThat(summary(answers)).containsOnly("OutcomeUnknownException").hasSize(3);
        assertThat(runs).hasSize(1);
        assertThat(effects()).isEmpty();
        for (String value : List.of("a", "b", "c")) {
            assertThat(found(key(value)).protocol()).isEqualTo(Protocol.EXTERNAL);
        }
    }

    /** The time counts from the run in doubt, unless locks are local and an earlier run can still win. */
    @Test
    void batchThatIsProvedRolledBackDoesNotCount() {
        Batch<C, String> batch = Batch.inOneTransaction(operation(options -> options.retention(Duration.ofSeconds(4))));
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);

        List<BatchResult<String>> answers = batch.executeAll(attempts("a", "b"), (handle, attempts) -> {
            List<String> results = writing("a", "b").apply(handle, attempts);
            if (runs.size() < 3) {
                clock.advance(Duration.ofSeconds(3));
            }
            if (runs.size() == 2) {
                throw new InjectedFault(Fault.CONFLICT);
            }
            return results;
        });

        if (store.lockScope() != LockScope.GLOBAL) {
            assertThat(summary(answers)).containsOnly("OutcomeUnknownException").hasSize(2);
            return;
        }
        assertThat(summary(answers)).containsExactly("Executed a", "Executed b");
        assertThat(effects()).containsExactlyInAnyOrder("a", "b");
    }

    /**
     * Some records of the transaction exist and some do not. If locks are local, each is resolved separately, and a
     * purged record is claimed again.
     */
    @Test
    void recordsThatDisagreeAreUnknownForAll() {
        Batch<C, String> batch =
                Batch.inOneTransaction(operation(options -> options.retention(Duration.ofNanos(1000))));
        faulty.at(StoreCall.COMMIT).losesAnswer();
        clock.onSleep(pause -> AnotherThread.run(() -> {
            letTimePass(Duration.ofMillis(1));
            assertThat(store.purgeExpired(1)).isEqualTo(1);
        }));

        List<BatchResult<String>> answers = batch.executeAll(attempts("a", "b", "c"), writing("a", "b", "c"));

        if (store.lockScope() != LockScope.GLOBAL) {
            assertThat(summary(answers)).containsExactly("Executed a", "Executed b", "Executed c");
            return;
        }
        assertThat(summary(answers)).containsOnly("OutcomeUnknownException").hasSize(3);
        assertThat(runs).hasSize(1);
    }

    /** If locks are local, another node may have ended it, so the work runs again. */
    @Test
    void markThatChangesNothingShowsThatTheWorkEndedTheTransaction() {
        faulty.second(StoreCall.SUCCEED).changesNothing();

        if (store.lockScope() == LockScope.NODE) {
            assertThat(summary(executeAll("a", "b", "c"))).containsExactly("Executed a", "Executed b", "Executed c");
            assertThat(effects()).containsExactlyInAnyOrder("a", "b", "c");
            return;
        }
        assertThat(summary(executeAll("a", "b", "c")))
                .containsOnly("OutcomeUnknownException")
                .hasSize(3);

        assertThat(effects()).isEmpty();
        assertThat(runs).hasSize(1);
    }

    /** Its records are inserted in their final state, so no mark has to change them. */
    @Test
    void batchWithoutResultsNeedsNoMark() {
        assertThat(summary(executeAllWithoutResults(null, "b", "a"))).containsOnly("Executed DONE");
        assertThat(summary(executeAllWithoutResults(null, "a", "b"))).containsOnly("Replayed DONE");

        assertThat(faulty.calls()).contains(StoreCall.CLAIM).doesNotContain(StoreCall.SUCCEED);
        assertThat(effects()).containsExactlyInAnyOrder("a", "b");
        assertThat(runs).hasSize(1);
    }

    @Test
    void unansweredCommitOfABatchWithoutResultsIsResolvedByItsRecords() {
        faulty.at(StoreCall.COMMIT).losesAnswer();
        assertThat(summary(executeAllWithoutResults(null, "a", "b"))).containsOnly("Executed DONE");
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
        assertThat(summary(executeAllWithoutResults(null, "c", "d"))).containsOnly("Executed DONE");

        assertThat(Collections.frequency(faulty.calls(), StoreCall.CONFIRM)).isEqualTo(resolutions(2));
        assertThat(effects()).containsExactlyInAnyOrder("a", "b", "c", "d");
        assertThat(runs).hasSize(2 + resolutions(2));
    }

    @Test
    void poisonInABatchWithoutResultsFailsAlone() {
        assertThat(summary(executeAllWithoutResults("b", "a", "b", "c")))
                .containsExactly("Executed DONE", "IllegalStateException", "Executed DONE");
        assertThat(summary(executeAllWithoutResults("b", "a", "b", "c")))
                .containsExactly("Replayed DONE", "Rejected", "Replayed DONE");

        assertThat(effects()).containsExactlyInAnyOrder("a", "c");
    }

    /** If locks are local, each attempt continues separately and at once, before this test's rival begins. */
    @Test
    void rivalThatLedAfterALostCommitAnswersItsKeyAndTheOthersAreExecuted() {
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
        clock.onSleep(pause -> {
            clock.onSleep(later -> {});
            AnotherThread.run(() -> assertThat(summary(
                            elsewhere(store).executeAll(attempts("b"), (handle, leading) -> List.of("rival's"))))
                    .containsExactly("Executed rival's"));
        });

        if (store.lockScope() != LockScope.GLOBAL) {
            assertThat(summary(executeAll("a", "b", "c"))).containsExactly("Executed a", "Executed b", "Executed c");
            assertThat(effects()).containsExactlyInAnyOrder("a", "b", "c");
            return;
        }
        assertThat(summary(executeAll("a", "b", "c"))).containsExactly("Executed a", "Replayed rival's", "Executed c");

        assertThat(effects()).containsExactlyInAnyOrder("a", "c");
        assertThat(faulty.calls()).contains(StoreCall.CONFIRM);
    }

    /** Other callers have led between the batch's read and its claims, so its transaction has nothing to commit. */
    @Test
    void transactionThatFoundTheRecordsOfOthersMayEndAnyhow() {
        for (Fault fault : Fault.values()) {
            String[] names = {"a-" + fault, "b-" + fault};
            faulty.at(StoreCall.READ)
                    .after(() -> AnotherThread.run(() -> assertThat(summary(elsewhere(store)
                                    .executeAll(attempts(names), (handle, leading) -> List.of("their a", "their b"))))
                            .containsExactly("Executed their a", "Executed their b")));
            faulty.at(StoreCall.COMMIT).fails(fault);

            assertThat(summary(executeAll(names))).containsExactly("Replayed their a", "Replayed their b");

            faulty.disarm();
        }
        assertThat(runs).isEmpty();
    }
}
