package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.InvalidBatchException;
import io.counterpoint.idempotency.InvalidBatchException.Reason;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import io.counterpoint.idempotency.testkit.faults.InterceptingStore;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The outcomes of a batch, the order in which it claims and works, and what it rejects. */
abstract class BatchAnswerContract<C> extends BatchContractTest<C> {

    BatchAnswerContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Test
    void newKeysAreExecutedInOneTransaction() {
        assertThat(summary(executeAll("c", "a", "b"))).containsExactly("Executed c", "Executed a", "Executed b");

        assertThat(runs).containsExactly(List.of("c", "a", "b"));
        assertThat(effects()).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(faulty.calls()).filteredOn(StoreCall.COMMIT::equals).hasSize(1);
        assertThat(faulty.mostSessions()).isEqualTo(1);
        assertThat(List.of(isSucceeded("a"), isSucceeded("b"), isSucceeded("c")))
                .containsOnly(true);
        assertThat(events.take()).containsOnly("claimed", "succeeded").hasSize(6);
    }

    @Test
    void everyAttemptHasATokenOfItsOwn() {
        executeAll("a", "b", "c");

        assertThat(List.of(
                        found(key("a")).token(),
                        found(key("b")).token(),
                        found(key("c")).token()))
                .doesNotHaveDuplicates();
    }

    @Test
    void noClaimIsCommittedBeforeTheWork() {
        List<Batch<C, String>> modes = List.of(
                Batch.inOneTransaction(operation(options -> options)),
                Batch.inOwnTransactions(operation(options -> options)));
        for (Batch<C, String> mode : modes) {
            List<String> names = List.of("a" + runs.size(), "b" + runs.size());

            List<BatchResult<String>> answers =
                    mode.executeAll(attempts(names.get(0), names.get(1)), (handle, leading) -> {
                        // The second is claimed together with its own work.
                        assertThat(AnotherThread.get(() -> read(key(names.get(1)))))
                                .matches(record ->
                                        record.isEmpty() || leading.get(0).index() == 1);
                        return writing(List.copyOf(names), null, new IllegalStateException())
                                .apply(handle, leading);
                    });

            assertThat(summary(answers)).allMatch(answer -> answer.startsWith("Executed"));
        }
    }

    @Test
    void batchOfOneClaimsInItsTransactionToo() {
        executeAll("a");

        assertThat(found(key("a")).protocol()).isEqualTo(IdempotencyRecord.Protocol.SINGLE_TRANSACTION);
    }

    @Test
    void knownKeysAreAnsweredFromOneReadAndNeverWorkedOn() {
        executeAll("a", "b");
        int before = faulty.calls().size();
        runs.clear();

        List<BatchResult<String>> answers = together()
                .executeAll(
                        List.of(attempt("a"), attempt("b", "another request"), attempt("c")), writing("a", "b", "c"));

        assertThat(summary(answers)).containsExactly("Replayed a", "KeyReused", "Executed c");
        assertThat(runs).containsExactly(List.of("c"));
        assertThat(faulty.calls().subList(before, faulty.calls().size()))
                .startsWith(StoreCall.OPEN, StoreCall.READ, StoreCall.READ, StoreCall.READ, StoreCall.OPEN);
    }

    @Test
    void redeliveredBatchIsAnsweredWithoutAClaim() {
        executeAll("a", "b", "c");
        int before = faulty.calls().size();

        assertThat(summary(executeAll("c", "b", "a"))).containsExactly("Replayed c", "Replayed b", "Replayed a");

        assertThat(faulty.calls().subList(before, faulty.calls().size()))
                .containsExactly(StoreCall.OPEN, StoreCall.READ, StoreCall.READ, StoreCall.READ);
    }

    @Test
    void claimsAreMadeInTheOrderOfKeysAndWorkInThatOfTheCall() {
        List<String> claimed = new ArrayList<>();
        Batch<C, String> batch = elsewhere(new InterceptingStore<>(store) {
            @Override
            protected RecordSteps steps(RecordSteps real, Session<C> session) {
                return new ForwardingSteps(real) {
                    @Override
                    public Optional<IdempotencyRecord> claim(
                            IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                        claimed.add(record.key().scope() + record.key().value());
                        return super.claim(record, retention, lockWait, durability);
                    }
                };
            }
        });
        List<String> names = List.of("z", "\uD83D\uDE00", "a", "\uFB01", "B");
        List<Attempt> attempts = new ArrayList<>(
                names.stream().map(OperationContractTest::attempt).toList());
        attempts.add(Attempt.inScope("user:0").key("zz").withoutRequest());
        List<String> all = new ArrayList<>(names);
        all.add("zz");

        assertThat(summary(batch.executeAll(attempts, writing(all, null, new IllegalStateException()))))
                .allMatch(answer -> answer.startsWith("Executed"));

        // By scope, and then in Java's string order, where surrogates precede characters that precede them in UTF-8.
        assertThat(claimed)
                .containsExactly("user:0zz", "user:1B", "user:1a", "user:1z", "user:1\uD83D\uDE00", "user:1\uFB01");
        assertThat(runs).containsExactly(all);
    }

    @Test
    void equalKeysAreAnsweredFromTheRecordOfTheFirst() {
        List<BatchResult<String>> answers = together()
                .executeAll(
                        List.of(attempt("a"), attempt("a"), attempt("b"), attempt("a", "another request")),
                        writing("a", "repeated", "b", "reused"));

        assertThat(summary(answers)).containsExactly("Executed a", "Replayed a", "Executed b", "KeyReused");
        assertThat(runs).containsExactly(List.of("a", "b"));
    }

    @Test
    void eachItsOwnIsExecutedInTheOrderOfTheCall() {
        executeAll("b");
        runs.clear();

        List<BatchResult<String>> answers =
                separately().executeAll(attempts("c", "b", "a", "c"), writing("c", "b", "a", "repeated"));

        assertThat(summary(answers)).containsExactly("Executed c", "Replayed b", "Executed a", "Replayed c");
        assertThat(runs).containsExactly(List.of("c"), List.of("a"));
        assertThat(found(key("c")).protocol()).isEqualTo(IdempotencyRecord.Protocol.CLAIM_FIRST);
    }

    @Test
    void rivalOfOneKeyCostsOneWaitAndTheOthersGoOn() {
        List<Duration> waits = new ArrayList<>();
        Batch<C, String> batch = Batch.inOneTransaction(operation(
                Idempotency.builder(new InterceptingStore<>(store) {
                    @Override
                    protected RecordSteps steps(RecordSteps real, Session<C> session) {
                        return new ForwardingSteps(real) {
                            @Override
                            public Optional<IdempotencyRecord> claim(
                                    IdempotencyRecord record,
                                    Duration retention,
                                    Duration lockWait,
                                    Durability durability) {
                                if (record.key().value().equals("c")) {
                                    waits.add(lockWait);
                                }
                                return super.claim(record, retention, lockWait, durability);
                            }
                        };
                    }
                }),
                options ->
                        options.protocol(Operation.Protocol.SINGLE_TRANSACTION).waitAtMost(SHORT)));

        List<BatchResult<String>> answers = new ArrayList<>();
        besideOthers(rival -> {
            claim(rival, pending("c"));
            answers.addAll(AnotherThread.get(
                    () -> batch.executeAll(attempts("a", "b", "c", "d", "e"), writing("a", "b", "c", "d", "e"))));
        });

        assertThat(summary(answers))
                .containsExactly("Executed a", "Executed b", "InProgress", "Executed d", "Executed e");
        assertThat(effects()).containsExactlyInAnyOrder("a", "b", "d", "e");
        assertThat(waits.stream().reduce(Duration.ZERO, Duration::plus)).isLessThan(SHORT.multipliedBy(2));
    }

    @Test
    void pendingKeyOfAnotherLeaderIsInProgressAndTheOthersGoOn() {
        plant(pending("b"));

        assertThat(summary(executeAll("a", "b", "c"))).containsExactly("Executed a", "InProgress", "Executed c");

        assertThat(effects()).containsExactlyInAnyOrder("a", "c");
    }

    @Test
    void invalidBatchIsRefusedBeforeAnythingStarts() {
        Batch<C, String> small = together().maxAttempts(2);
        List<Attempt> tooMany = attempts("a", "b", "c");
        List<Attempt> withNull = new ArrayList<>(Arrays.asList(attempt("a"), null));

        assertThat(refusal(small, tooMany)).isEqualTo(Reason.TOO_MANY_ATTEMPTS);
        assertThat(refusal(small, withNull)).isEqualTo(Reason.NULL_ATTEMPT);
        assertThat(refusal(elsewhere(new TwoDatabases<>(store)), attempts("a", "b")))
                .isEqualTo(Reason.SEVERAL_DATABASES);
        assertThat(together().executeAll(List.of(), writing())).isEmpty();

        assertThat(faulty.calls()).isEmpty();
        assertThat(runs).isEmpty();
    }

    private Reason refusal(Batch<C, String> batch, List<Attempt> attempts) {
        List<Reason> reasons = new ArrayList<>();
        assertThatThrownBy(() -> {
                    List<BatchResult<String>> unused = batch.executeAll(attempts, writing("a", "b", "c"));
                })
                .isInstanceOfSatisfying(InvalidBatchException.class, refused -> reasons.add(refused.reason()));
        return reasons.get(0);
    }

    private static final class TwoDatabases<C> extends ForwardingStore<C> {
        TwoDatabases(IdempotencyStore<C> store) {
            super(store);
        }

        @Override
        public boolean isOneDatabase(Collection<IdempotencyKey> keys) {
            return keys.size() < 2;
        }
    }

    @Test
    void whatHasNotBegunInTimeIsNotStarted() {
        executeAll("known");

        List<BatchResult<String>> answers = separately()
                .within(Duration.ofSeconds(5))
                .executeAll(attempts("a", "b", "known"), (handle, leading) -> {
                    clock.advance(Duration.ofSeconds(5));
                    return List.of("result");
                });

        assertThat(summary(answers)).containsExactly("Executed result", "NotStartedException", "Replayed known");
        assertThat(answers.get(1)
                        .<Boolean>fold(outcome -> false, thrown -> ((NotStartedException) thrown).isRetryable()))
                .isTrue();
        assertThat(read(key("b"))).isEmpty();
    }

    @Test
    void partsThatHaveNotBegunInTimeAreNotStarted() {
        Batch<C, String> batch = together().within(Duration.ofSeconds(5));

        List<BatchResult<String>> answers = batch.executeAll(attempts("a", "b", "c", "d"), (handle, leading) -> {
            clock.advance(Duration.ofSeconds(2));
            throw new IllegalStateException("poison");
        });

        assertThat(summary(answers))
                .containsExactly(
                        "IllegalStateException", "NotStartedException", "NotStartedException", "NotStartedException");
    }

    @Test
    void batchInsideACallIsRefused() {
        List<BatchResult<String>> answers = together().executeAll(attempts("a"), (handle, leading) -> {
            List<BatchResult<String>> unused = executeAll("inner");
            return List.of("a");
        });

        assertThat(summary(answers)).containsExactly("NestedCallException");
        assertThat(answers.get(0).asOptional()).isEqualTo(Optional.<Outcome<String>>empty());
    }
}
