package io.counterpoint.idempotency.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.ForwardingRecordSteps;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * The decisions of leaders, followers and arbiters over the in-memory store: one test for each, so that a change of the
 * engine is seen in the engine's own module. The contract of the testkit tests them in every combination.
 */
class ProtocolTest {

    private static final Duration GRACE = Duration.ofMinutes(1);
    private static final Attempt ATTEMPT = Attempt.inScope("user:1").key("k").request("request");
    private static final IdempotencyKey KEY =
            IdempotencyKey.inScope("user:1").operation("operation").value("k");

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final InMemoryIdempotencyStore memory = new InMemoryIdempotencyStore(new StandingClock());
    private final LosingStore store = new LosingStore();
    private final List<String> effects = new ArrayList<>();

    private final class StandingClock implements IdempotencyClock {
        @Override
        public Instant now() {
            return now;
        }

        @Override
        public void sleep(Duration duration) {
            now = now.plus(duration);
        }
    }

    private Operation.Builder<Transaction, String> operation() {
        return Idempotency.builder(store)
                .clock(new StandingClock())
                .build()
                .operation("operation", ResultCodec.string());
    }

    private String work(Transaction transaction) {
        transaction.onCommit(() -> effects.add("effect"));
        return "result";
    }

    private static Pending pending(String request) {
        return new Pending(
                KEY,
                Protocol.CLAIM_FIRST,
                UUID.randomUUID(),
                Fingerprint.ofParts(request),
                Optional.empty(),
                Duration.ZERO);
    }

    private void plant(IdempotencyRecord record) {
        plant(record, Duration.ofDays(1));
    }

    private void plant(IdempotencyRecord record, Duration retention) {
        try (Session<Transaction> session = memory.open(KEY)) {
            Optional<IdempotencyRecord> found = session.autoCommit(
                    steps -> steps.claim(record, retention, Duration.ofSeconds(1), Durability.DURABLE));
            assertThat(found).isEmpty();
        }
    }

    // ---- followers -----------------------------------------------------------------------------------------------

    /** As after the promotion of a standby that lacks the record. */
    @Test
    void followerWhoseReadIsGoneBeforeItIsDurableLeads() {
        for (IdempotencyRecord read : List.of(
                new Succeeded(
                        KEY, Protocol.CLAIM_FIRST, UUID.randomUUID(), Fingerprint.ofParts("request"), Optional.empty()),
                new Failed(
                        KEY,
                        Protocol.CLAIM_FIRST,
                        UUID.randomUUID(),
                        Fingerprint.ofParts("request"),
                        new Failure("code", "message")))) {
            effects.clear();
            plant(read, Duration.ofNanos(1));
            store.beforeDurable = () -> {
                now = now.plusMillis(1);
                assertThat(memory.purgeExpired(1)).isOne();
                throw new LostAnswer();
            };

            assertThat(operation().build().execute(ATTEMPT, this::work)).isInstanceOf(Outcome.Executed.class);
            assertThat(effects).hasSize(1);
            now = now.plus(Duration.ofDays(9000));
            assertThat(memory.purgeExpired(1)).isOne();
        }
    }

    /** As after its purge, or the promotion of a standby that lacks it. */
    @Test
    void followerWhoseRecordIsGoneOnceItsResultIsUnreadableLeads() {
        plant(
                new Succeeded(
                        KEY,
                        Protocol.CLAIM_FIRST,
                        UUID.randomUUID(),
                        Fingerprint.ofParts("request"),
                        Optional.of(Payload.of(new byte[1]))),
                Duration.ofNanos(1));
        ResultCodec<String> codec = ResultCodec.of(result -> new byte[0], bytes -> {
            now = now.plusMillis(1);
            assertThat(memory.purgeExpired(1)).isOne();
            throw new IllegalArgumentException("an old form");
        });

        assertThat(Idempotency.on(store).operation("operation", codec).build().execute(ATTEMPT, this::work))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(effects).hasSize(1);
    }

    @Test
    void followerReplaysTheStoredResult() {
        plant(new Succeeded(
                KEY,
                Protocol.CLAIM_FIRST,
                UUID.randomUUID(),
                Fingerprint.ofParts("request"),
                Optional.of(Payload.of("stored".getBytes(StandardCharsets.UTF_8)))));

        Outcome<String> outcome = operation().build().execute(ATTEMPT, this::work);

        assertThat(outcome).isInstanceOf(Outcome.Replayed.class);
        assertThat(outcome.orElseThrow()).isEqualTo("stored");
        assertThat(effects).isEmpty();
    }

    @Test
    void followerOfAFailureIsRejected() {
        plant(new Failed(
                KEY,
                Protocol.CLAIM_FIRST,
                UUID.randomUUID(),
                Fingerprint.ofParts("request"),
                new Failure("declined", "No funds.")));

        assertThat(operation().build().execute(ATTEMPT, this::work)).isInstanceOf(Outcome.Rejected.class);
        assertThat(effects).isEmpty();
    }

    @Test
    void anotherRequestUnderTheKeyIsRefused() {
        plant(pending("another request"));

        assertThat(operation().build().execute(ATTEMPT, this::work)).isInstanceOf(Outcome.KeyReused.class);
        assertThat(effects).isEmpty();
    }

    @Test
    void followerHealsAnEffectThatTheLookupFinds() {
        plant(pending("request"));

        Outcome<String> outcome = operation()
                .lookUpByKey((handle, key) -> Optional.of("found"))
                .build()
                .execute(ATTEMPT, this::work);

        assertThat(outcome).isInstanceOf(Outcome.Healed.class);
        assertThat(memory.read(KEY)).containsInstanceOf(Succeeded.class);
    }

    // ---- arbitration ---------------------------------------------------------------------------------------------

    @Test
    void youngAttemptIsInProgress() {
        plant(pending("request"));
        now = now.plus(GRACE.dividedBy(2));

        Outcome<String> outcome = operation()
                .whenAbandoned(Operation.Abandoned.TAKE_OVER, GRACE)
                .build()
                .execute(ATTEMPT, this::work);

        assertThat(outcome).isInstanceOf(Outcome.InProgress.class);
        assertThat(effects).isEmpty();
    }

    @Test
    void abandonedAttemptFails() {
        plant(pending("request"));
        now = now.plus(GRACE);

        Outcome<String> outcome = operation()
                .whenAbandoned(Operation.Abandoned.FAIL, GRACE)
                .build()
                .execute(ATTEMPT, this::work);

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Rejected.class,
                        rejected -> assertThat(rejected.toString()).contains(Failure.ABANDONED));
        assertThat(memory.read(KEY)).containsInstanceOf(Failed.class);
        assertThat(effects).isEmpty();
    }

    @Test
    void abandonedAttemptIsTakenOverUnderAFreshToken() {
        Pending dead = pending("request");
        plant(dead);
        now = now.plus(GRACE);

        Outcome<String> outcome = operation()
                .whenAbandoned(Operation.Abandoned.TAKE_OVER, GRACE)
                .build()
                .execute(ATTEMPT, this::work);

        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(memory.read(KEY).orElseThrow().token()).isNotEqualTo(dead.token());
        assertThat(effects).hasSize(1);
    }

    @Test
    void attemptWhoseLockIsHeldIsNotAbandoned() {
        Pending alive = pending("request");
        plant(alive);
        now = now.plus(GRACE);
        try (Session<Transaction> leader = memory.open(KEY)) {
            Outcome<String> outcome = leader.inTransaction((steps, scope) -> {
                assertThat(steps.lock(KEY, Duration.ZERO)).isPresent();
                return inAnotherThread(() -> operation()
                        .whenAbandoned(Operation.Abandoned.TAKE_OVER, GRACE)
                        .build()
                        .execute(ATTEMPT, this::work));
            });
            assertThat(outcome).isInstanceOf(Outcome.InProgress.class);
        }
        assertThat(memory.read(KEY).map(IdempotencyRecord::token)).contains(alive.token());
    }

    @Test
    void leaderWhoseHeartbeatPrecedesTheLockIsNotTakenOver() {
        Pending alive = pending("request");
        plant(alive);
        now = now.plus(GRACE);
        store.beforeNextTransaction = () -> {
            try (Session<Transaction> leader = memory.open(KEY)) {
                assertThat(leader.<Boolean>autoCommit(steps -> steps.replaceToken(KEY, alive.token(), alive.token())))
                        .isTrue();
            }
        };

        Outcome<String> outcome = operation()
                .whenAbandoned(Operation.Abandoned.TAKE_OVER, GRACE)
                .build()
                .execute(ATTEMPT, this::work);

        assertThat(outcome).isInstanceOf(Outcome.InProgress.class);
        assertThat(memory.read(KEY).map(IdempotencyRecord::token)).contains(alive.token());
    }

    private static <T> T inAnotherThread(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        new Thread(task).start();
        try {
            return task.get();
        } catch (InterruptedException | ExecutionException failed) {
            throw new AssertionError(failed);
        }
    }

    // ---- commits without an answer -------------------------------------------------------------------------------

    @Test
    void commitThatArrivedIsFoundByItsOwnToken() {
        store.loss = Loss.AFTER_THE_COMMIT;

        assertThat(operation().build().execute(ATTEMPT, this::work)).isInstanceOf(Outcome.Executed.class);
        assertThat(effects).hasSize(1);
    }

    @Test
    void commitThatDidNotArriveIsRunAgain() {
        store.loss = Loss.BEFORE_THE_COMMIT;

        Outcome<String> outcome =
                operation().retryOn(LostAnswer.class::isInstance).build().execute(ATTEMPT, this::work);

        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(effects).hasSize(1);
        assertThat(store.runs).isEqualTo(2);
    }

    @Test
    void singleTransactionWithoutAnAnswerClaimsAgain() {
        store.loss = Loss.AFTER_THE_COMMIT;

        Outcome<String> outcome = operation()
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .build()
                .execute(ATTEMPT, this::work);

        assertThat(outcome.orElseThrow()).isEqualTo("result");
        assertThat(effects).hasSize(1);
    }

    @Test
    void storeThatStaysLostIsAnUnknownOutcome() {
        store.loss = Loss.FOR_EVER;

        assertThatThrownBy(() -> operation().build().execute(ATTEMPT, this::work))
                .isInstanceOf(OutcomeUnknownException.class);
        assertThat(effects).hasSize(1);
    }

    /** What it answers is another's decision, which it has only read. */
    @Test
    void operatorIsNotAnsweredWhatIsNotDurable() {
        Pending pending = new Pending(
                KEY,
                Protocol.EXTERNAL,
                UUID.randomUUID(),
                Fingerprint.ofParts("request"),
                Optional.empty(),
                Duration.ZERO);
        plant(pending);
        ExternalOperation<String> operation = Idempotency.builder(store)
                .clock(new StandingClock())
                .build()
                .external("operation", ResultCodec.string(), unresolved -> Lookup.notYet())
                .build();
        assertThat(operation.resolveSucceeded(KEY, "result")).isPresent();
        store.beforeDurable = () -> {
            throw new LostAnswer();
        };

        assertThatThrownBy(() -> operation.resolveSucceeded(KEY, "result")).isInstanceOf(OutcomeUnknownException.class);
    }

    // ---- failures ------------------------------------------------------------------------------------------------

    @Test
    void failureIsStoredBeforeItIsThrown() {
        RuntimeException own = new IllegalArgumentException("no funds");

        assertThatThrownBy(() -> operation().build().execute(ATTEMPT, handle -> {
                    throw own;
                }))
                .isSameAs(own);
        assertThat(memory.read(KEY)).containsInstanceOf(Failed.class);
    }

    @Test
    void releasedKeyIsFreeAgain() {
        Operation<Transaction, String> operation = operation()
                .releaseOn(IllegalArgumentException.class::isInstance)
                .releaseOn(UnsupportedOperationException.class::isInstance)
                .build();

        assertThatThrownBy(() -> operation.execute(ATTEMPT, handle -> {
                    throw new IllegalArgumentException("busy");
                }))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(memory.read(KEY)).isEmpty();
        assertThat(operation.execute(ATTEMPT, this::work)).isInstanceOf(Outcome.Executed.class);
    }

    private enum Loss {
        NONE,
        BEFORE_THE_COMMIT,
        AFTER_THE_COMMIT,
        FOR_EVER
    }

    private static final class LostAnswer extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Loses the answer to a commit of work, once or for ever, with the commit or without it. */
    private final class LosingStore extends FaultyMemory {
        private Loss loss = Loss.NONE;
        private boolean lost;
        private boolean worked;
        private int runs;
        private Runnable beforeNextTransaction = () -> {};
        private Runnable beforeDurable = () -> {};

        LosingStore() {
            super(memory);
        }

        @Override
        <T> T around(Call call, Supplier<T> made) {
            if (call == Call.BARRIER) {
                Runnable before = beforeDurable;
                beforeDurable = () -> {};
                before.run();
            }
            if ((call == Call.OPEN || call == Call.OPEN_FOR_CLAIM) && lost && loss == Loss.FOR_EVER) {
                throw new LostAnswer();
            }
            if (call != Call.TRANSACTION) {
                return made.get();
            }
            Runnable before = beforeNextTransaction;
            beforeNextTransaction = () -> {};
            before.run();
            worked = false;
            T answer = made.get();
            if (worked && !lost && loss != Loss.NONE) {
                loses();
            }
            return answer;
        }

        private void loses() {
            lost = true;
            commitSent = true;
            throw new LostAnswer();
        }

        @Override
        RecordSteps steps(RecordSteps real) {
            return new ForwardingRecordSteps(real) {
                @Override
                public LastStep.Result commitWith(LastStep step) {
                    if (!lost && loss == Loss.BEFORE_THE_COMMIT) {
                        loses();
                    }
                    return super.commitWith(step);
                }
            };
        }

        @Override
        WorkScope<Transaction> scope(WorkScope<Transaction> real) {
            return new ForwardingScope<>(real) {
                @Override
                public void beforeWork() {
                    worked = true;
                    runs++;
                }
            };
        }
    }
}
