package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchItem;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.function.CheckedFunction;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.LockScope;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import io.counterpoint.idempotency.testkit.faults.InterceptingStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What leaders decide where locks are local to a node: one test for each decision. The explorer tries their schedules over
 * nodes that lock for themselves.
 */
class LocalLocksTest {

    private static final Attempt ATTEMPT = Attempt.inScope("user:1").key("k").request("request");
    private static final IdempotencyKey KEY =
            IdempotencyKey.inScope("user:1").operation("operation").value("k");
    private static final List<Attempt> ATTEMPTS = List.of(
            Attempt.inScope("user:1").key("one").request("request"),
            Attempt.inScope("user:1").key("two").request("request"),
            Attempt.inScope("user:1").key("three").request("request"));

    private final InMemoryIdempotencyStore memory = new InMemoryIdempotencyStore();
    private final Nodes store = new Nodes();
    private final List<String> effects = new ArrayList<>();
    private int works;

    private Operation.Builder<Transaction, String> operation() {
        return operation(new NoSleep());
    }

    private Operation.Builder<Transaction, String> operation(IdempotencyClock clock) {
        return Idempotency.builder(store).clock(clock).build().operation("operation", ResultCodec.string());
    }

    private Operation.Builder<Transaction, String> single() {
        return operation().protocol(Operation.Protocol.SINGLE_TRANSACTION);
    }

    private void requireBusy(
            Operation.Builder<Transaction, String> operation,
            CheckedFunction<Transaction, String, RuntimeException> work) {
        Operation<Transaction, String> releasing =
                operation.releaseOn(Busy.class::isInstance).build();
        assertThatThrownBy(() -> releasing.execute(ATTEMPT, work)).isInstanceOf(Busy.class);
    }

    private static String busy(Transaction transaction) {
        throw new Busy();
    }

    private String work(Transaction transaction) {
        String result = "result " + ++works;
        transaction.onCommit(() -> effects.add(result));
        return result;
    }

    /** Works once, and throws in the second run. */
    private String workOnce(Transaction transaction) {
        if (works > 0) {
            throw new Busy();
        }
        return work(transaction);
    }

    // ---- doubts --------------------------------------------------------------------------------------------------

    @Test
    void claimThatLeadsAfterADoubtReleasesNothing() {
        store.commits = Commits.LOST;

        requireBusy(single(), this::workOnce);
        assertThat(memory.read(KEY)).containsInstanceOf(Failed.class);
    }

    @Test
    void claimThatWaitedForTheDoubtReleases() {
        store.global = true;
        store.commits = Commits.LOST;

        requireBusy(single(), this::workOnce);
        assertThat(memory.read(KEY)).isEmpty();
    }

    @Test
    void releaseWithoutAnAnswerBecomesAFailure() {
        store.losesTheAnswerToARelease = true;

        requireBusy(operation(), LocalLocksTest::busy);
        assertThat(memory.read(KEY)).containsInstanceOf(Failed.class);
        assertThat(operation().build().execute(ATTEMPT, this::work)).isInstanceOf(Outcome.Rejected.class);
    }

    @Test
    void releaseOfASingleTransactionIsWritten() {
        requireBusy(single(), LocalLocksTest::busy);
        assertThat(memory.read(KEY)).isEmpty();
        assertThat(store.releases).isEqualTo(1);
    }

    @Test
    void releaseThatIsAnsweredFreesTheKey() {
        requireBusy(operation(), LocalLocksTest::busy);
        assertThat(memory.read(KEY)).isEmpty();
    }

    @Test
    void resultOfTheRunThatIsCommittedIsReturned() {
        store.commits = Commits.LOST_AND_THEN_UNANSWERED;

        assertThat(single().build().execute(ATTEMPT, this::work).orElseThrow()).isEqualTo("result 2");
        assertThat(effects).containsExactly("result 2");
    }

    @Test
    void otherRequestUnderTheKeyIsToldAfterAWriteOnly() {
        store.commits = Commits.LOST;
        store.meanwhile = () -> store.plant("another request");

        assertThat(single().build().execute(ATTEMPT, this::work)).isInstanceOf(Outcome.KeyReused.class);
        assertThat(store.confirmations).isEqualTo(1);
    }

    /** The other's record is released while this call waits, and its own old commit can still arrive. */
    @Test
    void pendingRecordOfAnotherEndsNoDoubt() {
        store.commits = Commits.LOST;
        store.meanwhile = () -> store.plant("request");

        requireBusy(
                operation(new ReleasingClock())
                        .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                        .waitAtMost(Duration.ofSeconds(30)),
                this::workOnce);
        assertThat(memory.read(KEY)).containsInstanceOf(Failed.class);
    }

    // ---- claims --------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void claimThatOtherNodesHaveToKnowIsDurable(boolean global) {
        store.global = global;

        assertThat(operation().build().execute(ATTEMPT, this::work)).isInstanceOf(Outcome.Executed.class);
        assertThat(store.claimed).isEqualTo(global ? Durability.ASYNCHRONOUS : Durability.DURABLE);
    }

    // ---- transactions that another node ends ---------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void lostTransactionIsRunAgain(Operation.Protocol protocol) {
        store.transactionsToLose = 1;

        assertThat(operation().protocol(protocol).build().execute(ATTEMPT, this::work))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(effects).containsExactly("result 2");
    }

    @Test
    void lostPlannedTransactionIsClaimedAgain() {
        store.transactionsToLose = 1;

        assertThat(single().planned().build().execute(ATTEMPT, () -> "plan", (handle, plan) -> work(handle)))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(effects).containsExactly("result 2");
    }

    @Test
    void lostTransactionIsTheWorksDoingWhereLocksAreGlobal() {
        store.global = true;
        store.transactionsToLose = 1;

        assertThatThrownBy(() -> operation().build().execute(ATTEMPT, this::work))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasMessageContaining("the work ended the transaction");
        assertThat(effects).isEmpty();
    }

    // ---- batches -------------------------------------------------------------------------------------------------

    private List<BatchResult<String>> batch() {
        return Batch.inOneTransaction(operation().build()).executeAll(ATTEMPTS, this::workOnAll);
    }

    private List<String> workOnAll(Transaction transaction, List<BatchItem> attempts) {
        return attempts.stream().map(attempt -> work(transaction)).toList();
    }

    private static void requireExecuted(List<BatchResult<String>> answers) {
        assertThat(answers)
                .allSatisfy(answer -> assertThat(answer.orElseThrow()).isInstanceOf(Outcome.Executed.class));
    }

    @Test
    void batchWhoseCommitArrivedUnansweredIsAnsweredByTheResultsOfThatCommit() {
        store.commits = Commits.UNANSWERED;

        requireExecuted(batch());
        assertThat(effects).containsExactly("result 1", "result 2", "result 3");
    }

    @Test
    void batchInDoubtWhoseTimeIsOverIsAnsweredAllTheSame() {
        store.commits = Commits.UNANSWERED;
        NoSleep clock = new NoSleep();

        List<BatchResult<String>> answers = Batch.inOneTransaction(
                        operation(clock).build())
                .executeAll(ATTEMPTS, (handle, attempts) -> {
                    clock.now = clock.now.plus(Duration.ofHours(1));
                    return workOnAll(handle, attempts);
                });

        requireExecuted(answers);
        assertThat(effects).hasSize(3);
    }

    @Test
    void batchWhoseCommitIsLostIsExecutedOneByOne() {
        store.commits = Commits.LOST;

        requireExecuted(batch());
        assertThat(effects).containsExactly("result 4", "result 5", "result 6");
    }

    @Test
    void batchAfterADoubtReleasesNothing() {
        store.commits = Commits.LOST;

        List<BatchResult<String>> answers = Batch.inOneTransaction(
                        operation().releaseOn(Busy.class::isInstance).build())
                .executeAll(ATTEMPTS, (handle, attempts) -> {
                    if (works > 0) {
                        throw new Busy();
                    }
                    return workOnAll(handle, attempts);
                });

        requireFailed(answers);
    }

    private void requireFailed(List<BatchResult<String>> answers) {
        assertThat(answers).allSatisfy(answer -> assertThat(answer.asOptional()).isEmpty());
        assertThat(List.of("one", "two", "three"))
                .allSatisfy(value -> assertThat(memory.read(IdempotencyKey.inScope("user:1")
                                .operation("operation")
                                .value(value)))
                        .containsInstanceOf(Failed.class));
    }

    @Test
    void wrongResultsAfterADoubtReleaseNothing() {
        store.commits = Commits.LOST;

        List<BatchResult<String>> answers = Batch.inOneTransaction(operation().build())
                .executeAll(ATTEMPTS, (handle, attempts) -> works > 0 ? List.of() : workOnAll(handle, attempts));

        requireFailed(answers);
    }

    @Test
    void batchWhoseTransactionIsLostIsRunAgain() {
        store.transactionsToLose = 1;

        requireExecuted(batch());
        assertThat(effects).hasSize(3);
    }

    // ---- the store -----------------------------------------------------------------------------------------------

    private enum Commits {
        ANSWERED,
        LOST,
        UNANSWERED,
        LOST_AND_THEN_UNANSWERED
    }

    private static final class Busy extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** The commit has not reached the node. */
    private static final class RolledBack extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static final class Lost extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static class NoSleep implements IdempotencyClock {
        private Instant now = Instant.EPOCH;

        @Override
        public Instant now() {
            return now;
        }

        @Override
        public void sleep(Duration pause) {}
    }

    /** The leader of the key releases it while a follower waits, after the pause that follows the lost commit. */
    private final class ReleasingClock extends NoSleep {
        private int sleeps;

        @Override
        public void sleep(Duration pause) {
            if (++sleeps == 2) {
                UUID leader = memory.read(KEY).orElseThrow().token();
                try (Session<Transaction> session = memory.open(KEY)) {
                    boolean released = session.autoCommit(steps -> steps.release(KEY, leader));
                    assertThat(released).isTrue();
                }
            }
        }
    }

    /** Says that its locks are local, loses commits and answers, and ends transactions without the work's knowledge. */
    private final class Nodes extends InterceptingStore<Transaction> {
        private boolean global;
        private Commits commits = Commits.ANSWERED;
        private Runnable meanwhile = () -> {};
        private boolean losesTheAnswerToARelease;
        private int transactionsToLose;
        private int confirmations;
        private int releases;
        private Durability claimed = Durability.DURABLE;

        Nodes() {
            super(memory);
        }

        @Override
        public LockScope lockScope() {
            return global ? LockScope.GLOBAL : LockScope.NODE;
        }

        @Override
        public Fault classify(Throwable thrown) {
            return thrown instanceof Lost ? Fault.CONNECTION_LOST : super.classify(thrown);
        }

        void plant(String request) {
            Pending other = new Pending(
                    KEY,
                    Protocol.CLAIM_FIRST,
                    UUID.randomUUID(),
                    Fingerprint.ofParts(request),
                    Optional.empty(),
                    Duration.ZERO);
            try (Session<Transaction> session = memory.open(KEY)) {
                Optional<IdempotencyRecord> found = session.autoCommit(
                        steps -> steps.claim(other, Duration.ofDays(1), Duration.ZERO, Durability.DURABLE));
                assertThat(found).isEmpty();
            }
        }

        private boolean commitSent;

        /** How the commit of the work ends. */
        private Commits nextCommit() {
            Commits next = commits;
            commits = next == Commits.LOST_AND_THEN_UNANSWERED ? Commits.UNANSWERED : Commits.ANSWERED;
            return next;
        }

        @Override
        protected RecordSteps steps(RecordSteps real, Session<Transaction> session) {
            return new Watched(real);
        }

        @Override
        protected Session<Transaction> decorate(Session<Transaction> opened) {
            return new InterceptingSession(opened) {
                @Override
                public <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
                    boolean asked = losesTheAnswerToARelease;
                    T answer = super.autoCommit(step);
                    if (asked && !losesTheAnswerToARelease) {
                        throw new Lost();
                    }
                    return answer;
                }

                @Override
                public <T> T inTransaction(
                        BiFunction<? super RecordSteps, ? super WorkScope<Transaction>, ? extends T> body) {
                    commitSent = false;
                    try {
                        return super.inTransaction(body);
                    } catch (RolledBack lost) {
                        meanwhile.run();
                        throw new Lost();
                    }
                }

                @Override
                public boolean commitMayBeSent() {
                    return commitSent || super.commitMayBeSent();
                }
            };
        }

        private final class Watched extends ForwardingSteps {

            Watched(RecordSteps real) {
                super(real);
            }

            private boolean losesTransaction() {
                return transactionsToLose > 0 && transactionsToLose-- > 0;
            }

            @Override
            public Optional<IdempotencyRecord> claim(
                    IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                claimed = durability;
                return super.claim(record, retention, lockWait, durability);
            }

            @Override
            public boolean release(IdempotencyKey key, UUID token) {
                losesTheAnswerToARelease = false;
                releases++;
                return super.release(key, token);
            }

            @Override
            public boolean confirm(IdempotencyKey key, UUID token) {
                confirmations++;
                return super.confirm(key, token);
            }

            @Override
            public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
                return !losesTransaction() && super.succeed(key, token, result);
            }

            @Override
            public LastStep.Result commitWith(LastStep step) {
                boolean ended = step.fold(
                        one -> false,
                        all -> false,
                        none -> losesTransaction(),
                        insert -> losesTransaction(),
                        all -> losesTransaction());
                if (ended) {
                    return LastStep.Result.ENDED;
                }
                Commits commit = nextCommit();
                if (commit == Commits.ANSWERED) {
                    return super.commitWith(step);
                }
                commitSent = true;
                if (commit != Commits.UNANSWERED) {
                    throw new RolledBack();
                }
                LastStep.Result unused = super.commitWith(step);
                throw new Lost();
            }
        }
    }
}
