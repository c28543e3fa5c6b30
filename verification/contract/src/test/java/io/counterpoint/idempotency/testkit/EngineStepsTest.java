package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.testkit.faults.FaultyStore;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import io.counterpoint.idempotency.testkit.faults.InterceptingStore;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the engine asks of a store, where the in-memory one would not mind being asked something else. */
class EngineStepsTest {

    private static final Duration GRACE = Duration.ofMinutes(1);
    private static final Attempt ATTEMPT = Attempt.inScope("user:1").key("k").request("request");
    private static final IdempotencyKey KEY =
            IdempotencyKey.inScope("user:1").operation("operation").value("k");

    private final ControllableClock clock = new ControllableClock();
    private final InMemoryIdempotencyStore memory = new InMemoryIdempotencyStore(clock);
    private final List<String> claims = new ArrayList<>();
    private final FaultyStore<Transaction> faulty = FaultyStore.around(new InterceptingStore<>(memory) {
        @Override
        protected RecordSteps steps(RecordSteps transaction, Session<Transaction> session) {
            return new ForwardingSteps(transaction) {
                @Override
                public Optional<IdempotencyRecord> claim(
                        IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                    claims.add(durability + " " + lockWait);
                    return super.claim(record, retention, lockWait, durability);
                }
            };
        }
    });
    private final Idempotency<Transaction> idempotency =
            Idempotency.builder(faulty).clock(clock).build();

    private Operation.Builder<Transaction, String> operation() {
        return idempotency.operation("operation", ResultCodec.string());
    }

    /** A store whose sessions always say that their key seems claimed. */
    private static final class Suspicious extends InterceptingStore<Transaction> {
        Suspicious(IdempotencyStore<Transaction> store) {
            super(store);
        }

        @Override
        protected Session<Transaction> decorate(Session<Transaction> real) {
            return new InterceptingSession(real) {
                @Override
                public boolean probablyClaimed() {
                    return true;
                }
            };
        }
    }

    private static <T> T alone(IdempotencyStore<Transaction> store, Function<? super RecordSteps, ? extends T> step) {
        try (Session<Transaction> session = store.open(KEY)) {
            return session.autoCommit(step);
        }
    }

    @Test
    void externalClaimIsDurableAndThatOfClaimFirstMayBeLost() {
        assertThat(operation().build().execute(ATTEMPT, handle -> "result")).isInstanceOf(Outcome.Executed.class);
        assertThat(idempotency
                        .external("remote", ResultCodec.string(), unresolved -> Lookup.notYet())
                        .build()
                        .execute(ATTEMPT, key -> "result"))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(claims).containsExactly("ASYNCHRONOUS PT1S", "DURABLE PT1S");
    }

    @Test
    void claimInOneTransactionWaitsForItsCallerOrItsOldTransaction() {
        faulty.at(StoreCall.COMMIT).losesAnswer();
        assertThat(operation()
                        .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                        .waitAtMost(Duration.ofMillis(300))
                        .build()
                        .execute(ATTEMPT, handle -> "result"))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(claims).containsExactly("DURABLE PT0.3S", "DURABLE PT1S");
    }

    private Pending plantedAndOld(Duration age) {
        Pending record = new Pending(
                KEY,
                Protocol.CLAIM_FIRST,
                UUID.randomUUID(),
                Fingerprint.ofParts("request"),
                Optional.empty(),
                Duration.ZERO);
        Optional<IdempotencyRecord> claim = alone(memory, steps -> ContractTest.claim(steps, record));
        assertThat(claim).isEmpty();
        clock.advance(age);
        return record;
    }

    @Test
    void keyIsAbandonedWhenTheGracePeriodHasPassedAndNotBefore() {
        Operation<Transaction, String> operation =
                operation().whenAbandoned(Operation.Abandoned.FAIL, GRACE).build();
        Pending record = plantedAndOld(GRACE.minusNanos(1));
        assertThat(operation.execute(ATTEMPT, handle -> "result")).isInstanceOf(Outcome.InProgress.class);
        clock.advance(Duration.ofNanos(1));
        assertThat(operation.execute(ATTEMPT, handle -> "result"))
                .isInstanceOfSatisfying(
                        Outcome.Rejected.class,
                        rejected -> assertThat(rejected.key()).isEqualTo(record.key()));
    }

    @Test
    void leaderWithASignOfLifeBeforeTheLockIsLeftInPeace() {
        Pending record = plantedAndOld(GRACE);
        faulty.at(StoreCall.LOCK)
                .before(() -> AnotherThread.run(() -> {
                    boolean alive = alone(memory, steps -> steps.replaceToken(KEY, record.token(), record.token()));
                    assertThat(alive).isTrue();
                }));
        assertThat(operation()
                        .whenAbandoned(Operation.Abandoned.FAIL, GRACE)
                        .build()
                        .execute(ATTEMPT, handle -> "result"))
                .isInstanceOf(Outcome.InProgress.class);
        Optional<IdempotencyRecord> found = alone(memory, steps -> steps.read(KEY));
        assertThat(found).hasValueSatisfying(now -> assertThat(now).isInstanceOf(Pending.class));
    }

    @Test
    void recordThatChangesUnderEveryRoundEndsTheCallInProgress() {
        plantedAndOld(GRACE);
        faulty.at(StoreCall.FAIL).always().changesNothing();
        assertThat(operation()
                        .whenAbandoned(Operation.Abandoned.FAIL, GRACE)
                        .build()
                        .execute(ATTEMPT, handle -> "result"))
                .isInstanceOf(Outcome.InProgress.class);
        faulty.disarm();
        faulty.at(StoreCall.SUCCEED).always().changesNothing();
        assertThat(operation()
                        .lookUpByKey((handle, key) -> Optional.of("found"))
                        .build()
                        .execute(ATTEMPT, handle -> "result"))
                .isInstanceOf(Outcome.InProgress.class);
    }

    @Test
    void arbitrationThatIsNotAnsweredIsMadeAgainAfterAPause() {
        plantedAndOld(GRACE);
        faulty.at(StoreCall.LOCK).fails(Fault.CONNECTION_LOST);
        assertThat(operation()
                        .whenAbandoned(Operation.Abandoned.FAIL, GRACE)
                        .build()
                        .execute(ATTEMPT, handle -> "result"))
                .isInstanceOf(Outcome.Rejected.class);
        assertThat(clock.sleeps()).hasSize(1);
    }

    // ---- what is lost on the way ---------------------------------------------------------------------------------

    /** The claim was not answered at first, and the lock was waited for longer than a step is tried. */
    @Test
    void leaderSupersededLongAfterItsClaimFollows() {
        faulty.at(StoreCall.CLAIM).losesAnswer();
        faulty.at(StoreCall.LOCK)
                .before(() -> AnotherThread.run(() -> {
                    clock.advance(GRACE);
                    Operation<Transaction, String> other = Idempotency.builder(memory)
                            .clock(clock)
                            .build()
                            .operation("operation", ResultCodec.string())
                            .whenAbandoned(Operation.Abandoned.TAKE_OVER, GRACE)
                            .build();
                    assertThat(other.execute(ATTEMPT, handle -> "other")).isInstanceOf(Outcome.Executed.class);
                }));
        assertThat(operation().build().execute(ATTEMPT, handle -> "result").orElseThrow())
                .isEqualTo("other");
    }

    /** Neither its first claim nor its commit was answered, and the work between them took longer than a step is tried. */
    @Test
    void timeOfTheWorkIsNotCountedAgainstTheStepsThatAreTriedAgain() {
        faulty.at(StoreCall.CLAIM).fails(Fault.CONNECTION_LOST);
        faulty.at(StoreCall.CLAIM);
        faulty.at(StoreCall.COMMIT).losesAnswer();
        faulty.at(StoreCall.CLAIM).fails(Fault.CONNECTION_LOST);
        assertThat(operation()
                        .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                        .build()
                        .execute(ATTEMPT, handle -> {
                            clock.advance(Duration.ofMinutes(1));
                            return "result";
                        }))
                .isInstanceOf(Outcome.Executed.class);
    }

    @Test
    void doubtThatCannotBeResolvedNamesItsObstacleToo() {
        faulty.at(StoreCall.COMMIT).losesAnswer();
        faulty.second(StoreCall.LOCK).always().fails(Fault.CONNECTION_LOST);
        assertThatThrownBy(() -> operation().build().execute(ATTEMPT, handle -> "result"))
                .isInstanceOfSatisfying(
                        OutcomeUnknownException.class,
                        unknown ->
                                assertThat(unknown.getCause().getSuppressed()).isNotEmpty());
    }

    @Test
    void failureOfASupersededLeaderNamesTheFailureOfTheRead() {
        IllegalStateException refusal = new IllegalStateException("refused");
        faulty.at(StoreCall.FAIL)
                .changesNothing()
                .after(() -> faulty.at(StoreCall.OPEN).always().fails(Fault.CONNECTION_LOST));
        assertThatThrownBy(() -> charge().execute(ATTEMPT, key -> {
                    throw refusal;
                }))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasCause(refusal);
        assertThat(refusal.getSuppressed()).isNotEmpty();
    }

    /** An operator resolved the key meanwhile, and it has expired: there is no other answer than the leader's own. */
    @Test
    void laterFailureOfAPurgedKeyIsTheLeadersOwn() {
        IllegalStateException refusal = new IllegalStateException("refused");
        ExternalOperation<String> charge = charge();
        CompletableFuture<String> effect = new CompletableFuture<>();
        CompletableFuture<Outcome<String>> answer =
                charge.executeAsync(ATTEMPT, key -> effect).toCompletableFuture();
        assertThat(charge.resolveSucceeded(KEY, "done")).isPresent();
        clock.advance(ContractTest.DAY.multipliedBy(2));
        assertThat(memory.purgeExpired(10)).isEqualTo(1);

        effect.completeExceptionally(refusal);

        assertThatThrownBy(answer::join).hasCause(refusal);
    }

    private ExternalOperation<String> charge() {
        return idempotency
                .external("operation", ResultCodec.string(), unresolved -> Lookup.notYet())
                .noEffectWhen(IllegalStateException.class::isInstance)
                .build();
    }

    @Test
    void purgeOfAMappedStoreReturnsTheNumberOfPurgedRecords() {
        assertThat(operation().build().execute(ATTEMPT, handle -> "result")).isInstanceOf(Outcome.Executed.class);
        clock.advance(ContractTest.DAY.multipliedBy(2));
        assertThat(memory.mapped(Optional::of).purgeExpired(10)).isEqualTo(1);
    }

    // ---- keys that seem claimed ----------------------------------------------------------------------------------

    @Test
    void keyThatSeemsClaimedIsLookedAtBeforeItIsClaimed() {
        Operation<Transaction, String> first = operation().build();
        assertThat(first.execute(ATTEMPT, handle -> "result")).isInstanceOf(Outcome.Executed.class);
        for (boolean single : new boolean[] {true, false}) {
            FaultyStore<Transaction> counted = FaultyStore.around(new Suspicious(memory));
            assertThat(again(counted, single).orElseThrow()).isEqualTo("result");
            assertThat(counted.calls()).containsExactly(StoreCall.OPEN, StoreCall.READ);
            assertThat(counted.openSessions()).isZero();
        }
    }

    @Test
    void keyThatSeemsClaimedAndIsNotIsClaimed() {
        for (boolean single : new boolean[] {true, false}) {
            InMemoryIdempotencyStore empty = new InMemoryIdempotencyStore(clock);
            assertThat(again(new Suspicious(empty), single)).isInstanceOf(Outcome.Executed.class);
        }
    }

    @Test
    void lookAtAKeyThatSeemsClaimedMayFailSinceTheClaimDecides() {
        for (boolean single : new boolean[] {true, false}) {
            FaultyStore<Transaction> lost = FaultyStore.around(new Suspicious(new InMemoryIdempotencyStore(clock)));
            lost.at(StoreCall.READ).fails(Fault.CONNECTION_LOST);
            assertThat(again(lost, single)).isInstanceOf(Outcome.Executed.class);
            assertThat(lost.calls()).startsWith(StoreCall.OPEN, StoreCall.READ, StoreCall.CLAIM);
        }
    }

    /** A call of the same key from another process. */
    private Outcome<String> again(IdempotencyStore<Transaction> store, boolean single) {
        Operation.Builder<Transaction, String> builder =
                Idempotency.builder(store).clock(clock).build().operation("operation", ResultCodec.string());
        return (single ? builder.protocol(Operation.Protocol.SINGLE_TRANSACTION) : builder)
                .build()
                .execute(ATTEMPT, handle -> "another");
    }

    // ---- interrupts ----------------------------------------------------------------------------------------------

    @Test
    void threadIsInterruptedAfterwardsIfItsWorkWasAndNotOtherwise() {
        Operation<Transaction, String> operation = operation().build();
        assertThat(operation.execute(ATTEMPT, handle -> "result")).isInstanceOf(Outcome.Executed.class);
        assertThat(Thread.interrupted()).isFalse();
        assertThat(operation.execute(Attempt.inScope("user:1").key("other").request("request"), handle -> {
                    Thread.currentThread().interrupt();
                    return "result";
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void interruptReachesTheFirstRunOnlyAndIsKept(boolean single) {
        List<Boolean> interrupted = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            faulty.at(StoreCall.COMMIT).fails(Fault.CONFLICT);
        }
        Operation.Builder<Transaction, String> builder = operation();
        Operation<Transaction, String> operation =
                (single ? builder.protocol(Operation.Protocol.SINGLE_TRANSACTION) : builder).build();
        boolean kept = AnotherThread.get(() -> {
            Thread.currentThread().interrupt();
            Outcome<String> outcome = operation.execute(ATTEMPT, handle -> {
                interrupted.add(Thread.currentThread().isInterrupted());
                return "result";
            });
            assertThat(outcome).isInstanceOf(Outcome.Executed.class);
            return Thread.currentThread().isInterrupted();
        });
        assertThat(interrupted).containsExactly(true, false, false);
        assertThat(kept).isTrue();
    }

    @Test
    void interruptedThreadGetsNoLockAndStaysInterrupted() {
        Pending record = plantedAndOld(Duration.ZERO);
        try (Session<Transaction> holder = memory.open(KEY)) {
            boolean stayed = holder.inTransaction((transaction, unused) -> {
                assertThat(transaction.lock(KEY, ContractTest.LONG)).isPresent();
                return AnotherThread.get(() -> {
                    Thread.currentThread().interrupt();
                    try (Session<Transaction> waiter = memory.open(KEY)) {
                        assertThatThrownBy(() -> waiter.inTransaction(
                                        (steps, scope) -> steps.lock(record.key(), ContractTest.LONG)))
                                .satisfies(thrown ->
                                        assertThat(memory.classify(thrown)).isEqualTo(Fault.LOCK_TIMEOUT));
                        return Thread.interrupted();
                    }
                });
            });
            assertThat(stayed).isTrue();
        }
    }
}
