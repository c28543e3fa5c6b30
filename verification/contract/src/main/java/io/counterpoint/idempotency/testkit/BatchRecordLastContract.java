package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import io.counterpoint.idempotency.testkit.faults.InjectedFault;
import io.counterpoint.idempotency.testkit.faults.InterceptingStore;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Batches whose records are inserted with the commit. */
abstract class BatchRecordLastContract<C> extends BatchContractTest<C> {

    BatchRecordLastContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    private Batch<C, String> batch(UnaryOperator<Operation.Builder<C, String>> options) {
        return Batch.inOneTransaction(
                operation(builder -> options.apply(builder.protocol(Operation.Protocol.RECORD_LAST))));
    }

    private List<BatchResult<String>> executed(String... names) {
        return batch(builder -> builder).executeAll(attempts(names), writing(names));
    }

    @Test
    void eachRecordIsWrittenOnceAndNoneIsClaimed() {
        assertThat(summary(executed("b", "a", "c"))).containsExactly("Executed b", "Executed a", "Executed c");
        assertThat(events.take()).containsOnly("succeeded");
        assertThat(summary(executed("a", "b", "c"))).containsExactly("Replayed a", "Replayed b", "Replayed c");

        assertThat(faulty.calls()).doesNotContain(StoreCall.CLAIM, StoreCall.SUCCEED);
        assertThat(Collections.frequency(faulty.calls(), StoreCall.INSERT)).isEqualTo(3);
        assertThat(found(key("a")).protocol()).isEqualTo(Protocol.SINGLE_TRANSACTION);
        assertThat(runs).containsExactly(List.of("b", "a", "c"));
    }

    @Test
    void insertsAreInTheOrderOfKeysAndWorkInThatOfTheCall() {
        List<String> inserted = new ArrayList<>();
        Batch<C, String> batch = overseen(
                all -> all.records().forEach(record -> inserted.add(record.key().value())), Duration.ofSeconds(1));

        assertThat(summary(batch.executeAll(attempts("b", "c", "a"), writing("b", "c", "a"))))
                .containsExactly("Executed b", "Executed c", "Executed a");

        assertThat(inserted).containsExactly("a", "b", "c");
        assertThat(runs).containsExactly(List.of("b", "c", "a"));
    }

    /** A batch whose inserts are observed before they are executed. */
    private Batch<C, String> overseen(Consumer<LastStep.InsertAll> seen, Duration wait) {
        return Batch.inOneTransaction(operation(
                Idempotency.builder(new InterceptingStore<>(store) {
                    @Override
                    protected RecordSteps steps(RecordSteps real, Session<C> session) {
                        return new ForwardingSteps(real) {
                            @Override
                            public LastStep.Result commitWith(LastStep step) {
                                if (step instanceof LastStep.InsertAll all) {
                                    seen.accept(all);
                                }
                                return super.commitWith(step);
                            }
                        };
                    }
                }),
                options -> options.protocol(Operation.Protocol.RECORD_LAST).waitAtMost(wait)));
    }

    @Test
    void eachOfItsOwnIsInsertedLastToo() {
        Batch<C, String> each =
                Batch.inOwnTransactions(operation(builder -> builder.protocol(Operation.Protocol.RECORD_LAST)));

        assertThat(summary(each.executeAll(attempts("c", "d"), writing("c", "d"))))
                .containsExactly("Executed c", "Executed d");

        assertThat(faulty.calls()).contains(StoreCall.INSERT).doesNotContain(StoreCall.CLAIM);
    }

    /** Each attempt has its own token, so whatever it finds is its own. */
    @Test
    void commitThatArrivedUnansweredIsFoundByEachAndConfirmed() {
        faulty.at(StoreCall.COMMIT).losesAnswer();

        assertThat(summary(executed("b", "a", "c"))).containsExactly("Executed b", "Executed a", "Executed c");

        assertThat(runs).hasSize(1);
        assertThat(effects()).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(Collections.frequency(faulty.calls(), StoreCall.CONFIRM)).isEqualTo(3);
    }

    /** The COMMIT may still be in flight, so a claim of one of its keys is committed before anything runs again. */
    @Test
    void claimIsMadeBeforeTheWorkRunsAgain() {
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
        faulty.at(StoreCall.CLAIM).before(() -> assertThat(runs).hasSize(1));

        assertThat(summary(executed("b", "a", "c"))).containsExactly("Executed b", "Executed a", "Executed c");

        assertThat(runs).hasSize(4);
        assertThat(effects()).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(Collections.frequency(faulty.calls(), StoreCall.CLAIM)).isEqualTo(3);
        assertThat(found(key("b")).protocol()).isEqualTo(Protocol.CLAIM_FIRST);
        assertThat(faulty.calls()).doesNotContain(StoreCall.CONFIRM);
    }

    /** The first run counts: its commit was kept out, so the attempts have failed. */
    @Test
    void attemptThatMayRunOnceOnlyFailsAfterALostCommit() {
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);

        List<BatchResult<String>> answers =
                batch(builder -> builder.maxRetries(0)).executeAll(attempts("a", "b"), writing("a", "b"));

        assertThat(answers).allMatch(answer -> answer.asOptional().isEmpty());
        assertThat(runs).hasSize(1);
        assertThat(summary(executed("a", "b"))).containsExactly("Rejected", "Rejected");
        assertThat(effects()).isEmpty();
    }

    /** The next attempts do not wait that long again. */
    @Test
    void commitThatCannotBeResolvedIsUnknownForAllAfterOneWait() {
        faulty.at(StoreCall.COMMIT)
                .losesAnswer()
                .after(() ->
                        faulty.at(StoreCall.OPEN).fails(Fault.CONNECTION_LOST).always());
        Instant start = clock.now();

        List<BatchResult<String>> answers = batch(builder -> builder.settleWithin(Duration.ofSeconds(10)))
                .executeAll(attempts("a", "b", "c"), writing("a", "b", "c"));

        assertThat(summary(answers)).containsOnly("OutcomeUnknownException").hasSize(3);
        assertThat(Duration.between(start, clock.now())).isLessThan(Duration.ofSeconds(15));
        faulty.disarm();
        assertThat(summary(executed("a", "b", "c"))).containsExactly("Replayed a", "Replayed b", "Replayed c");
        assertThat(effects()).containsExactlyInAnyOrder("a", "b", "c");
    }

    /** It may have committed, so none of its attempts is reported as not started. */
    @Test
    void commitInDoubtIsResolvedAlthoughTheBatchIsOver() {
        faulty.at(StoreCall.COMMIT).losesAnswer().after(() -> clock.advance(Duration.ofMinutes(2)));

        assertThat(summary(executed("a", "b", "c"))).containsExactly("Executed a", "Executed b", "Executed c");

        assertThat(runs).hasSize(1);
    }

    /** Once a commit may arrive late, a record has to keep it out, whatever mistake the work made. */
    @Test
    void keyIsNotReleasedForWrongResultsAfterALostCommit() {
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);

        List<BatchResult<String>> answers = batch(builder -> builder)
                .executeAll(attempts("a", "b"), (handle, leading) -> {
                    List<String> results = writing("a", "b").apply(handle, leading);
                    return runs.size() == 1 ? results : List.of();
                });

        assertThat(summary(answers)).containsOnly("UnstorableResultException").hasSize(2);
        assertThat(summary(executed("a", "b"))).containsExactly("Rejected", "Rejected");
    }

    @Test
    void recordOfARivalIsItsAnswerAndTheOthersRunTogetherAgain() {
        List<BatchResult<String>> answers = batch(builder -> builder)
                .executeAll(attempts("a", "b", "c", "d"), (handle, leading) -> {
                    if (runs.isEmpty()) {
                        AnotherThread.run(() -> assertThat(summary(elsewhere(store)
                                        .executeAll(attempts("b"), (other, unused) -> List.of("rival's"))))
                                .containsExactly("Executed rival's"));
                    }
                    return writing("a", "b", "c", "d").apply(handle, leading);
                });

        assertThat(summary(answers)).containsExactly("Executed a", "Replayed rival's", "Executed c", "Executed d");
        assertThat(runs).containsExactly(List.of("a", "b", "c", "d"), List.of("a", "c", "d"));
        assertThat(effects()).containsExactlyInAnyOrder("a", "c", "d");
    }

    /** The work encountered the rival's effect, so its exception is not a failure of any attempt. */
    @Test
    void exceptionOfWorkThatMetARivalsEffectFailsNobody() {
        List<BatchResult<String>> answers = batch(builder -> builder)
                .executeAll(attempts("a", "b", "c"), (handle, leading) -> {
                    List<String> results = writing("a", "b", "c").apply(handle, leading);
                    if (runs.size() == 1) {
                        AnotherThread.run(() -> assertThat(summary(elsewhere(store)
                                        .executeAll(attempts("b"), (other, unused) -> List.of("rival's"))))
                                .containsExactly("Executed rival's"));
                        throw new IllegalStateException("no funds");
                    }
                    return results;
                });

        assertThat(summary(answers)).containsExactly("Executed a", "Replayed rival's", "Executed c");
        assertThat(effects()).containsExactlyInAnyOrder("a", "c");
    }

    @Test
    void poisonFailsAloneAndItsNeighboursAreExecuted() {
        Batch<C, String> batch = batch(builder -> builder);

        assertThat(summary(batch.executeAll(
                        attempts("a", "b", "c"),
                        writing(List.of("a", "b", "c"), "b", new IllegalStateException("poison")))))
                .containsExactly("Executed a", "IllegalStateException", "Executed c");

        assertThat(summary(executed("a", "b", "c"))).containsExactly("Replayed a", "Rejected", "Replayed c");
        assertThat(effects()).containsExactlyInAnyOrder("a", "c");
    }

    @Test
    void whatMayPassFailsNobody() {
        for (Fault fault : List.of(Fault.CONFLICT, Fault.LOCK_TIMEOUT, Fault.CANCELLED, Fault.CONNECTION_LOST)) {
            for (StoreCall call : List.of(StoreCall.INSERT, StoreCall.OPEN)) {
                String at = "-" + fault + "-" + call;
                faulty.second(call).fails(fault);

                assertThat(summary(executed("a" + at, "b" + at))).containsExactly("Executed a" + at, "Executed b" + at);

                assertThat(effects()).containsOnlyOnce("a" + at, "b" + at);
                faulty.disarm();
            }
        }
    }

    /** If the conflict persists, nothing is written, and the keys can be used again. */
    @Test
    void whatGoesOnNeverFailsAnAttempt() {
        faulty.at(StoreCall.INSERT).fails(Fault.CONFLICT).always();

        assertThat(summary(executed("a", "b"))).containsOnly("NotStartedException");

        faulty.disarm();
        assertThat(effects()).isEmpty();
        assertThat(summary(executed("a", "b"))).containsExactly("Executed a", "Executed b");
    }

    @Test
    void workThatThrowsWhatPassesFailsNobody() {
        List<BatchResult<String>> answers = batch(builder -> builder)
                .executeAll(attempts("a", "b", "c"), (handle, leading) -> {
                    List<String> results = writing("a", "b", "c").apply(handle, leading);
                    if (runs.size() == 1) {
                        throw new InjectedFault(Fault.LOCK_TIMEOUT);
                    }
                    return results;
                });

        assertThat(summary(answers)).containsExactly("Executed a", "Executed b", "Executed c");
        assertThat(effects()).containsExactlyInAnyOrder("a", "b", "c");
    }

    /** The call reads the records in between, and shields the store from the interrupt there, too. */
    @Test
    void callerStaysInterruptedWhereARunIsRolledBack() {
        faulty.at(StoreCall.INSERT).fails(Fault.CONFLICT);
        Thread.currentThread().interrupt();

        List<BatchResult<String>> answers = batch(builder -> builder)
                .executeAll(attempts("a", "b"), (handle, leading) -> Collections.nCopies(leading.size(), "result"));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(summary(answers)).containsExactly("Executed result", "Executed result");
    }

    @Test
    void equalKeysAreAnsweredFromTheRecordOfTheFirst() {
        assertThat(summary(executed("b", "a", "b"))).containsExactly("Executed b", "Executed a", "Replayed b");

        assertThat(runs).containsExactly(List.of("b", "a"));
    }

    /** The later inserts of a batch wait only for the rest of the caller's own wait. */
    @Test
    void rivalOfOneKeyCostsTheBatchOneWaitAndTheOthersGoOn() {
        List<Duration> waits = new ArrayList<>();
        Batch<C, String> batch = overseen(all -> waits.add(all.lockWait()), SHORT);

        List<BatchResult<String>> answers = new ArrayList<>();
        besideOthers(rival -> {
            claim(rival, pending("c"));
            answers.addAll(AnotherThread.get(
                    () -> batch.executeAll(attempts("a", "b", "c", "d", "e"), writing("a", "b", "c", "d", "e"))));
        });

        assertThat(summary(answers))
                .containsExactly("Executed a", "Executed b", "InProgress", "Executed d", "Executed e");
        assertThat(effects()).containsExactlyInAnyOrder("a", "b", "d", "e");
        assertThat(waits).hasSizeGreaterThan(1);
        assertThat(waits.get(0)).isEqualTo(Duration.ofSeconds(1));
        assertThat(waits.subList(1, waits.size())).allMatch(wait -> wait.compareTo(SHORT) <= 0);
    }
}
