package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.Outcome.Ending;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Keys whose leader seems dead. They are arbitrated under the record's lock, according to the operation's options. */
abstract class AbandonedContract<C> extends ArbitrationContractTest<C> {

    AbandonedContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Test
    void abandonedKeyFailsAndItsLeaderCanNeverCommit() throws Exception {
        TestOperation<C> caller = failing().build();
        Pending record = abandoned("k", Optional.empty());

        Outcome<String> outcome = caller.call(attempt("k"), "mine");

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Rejected.class,
                        rejected -> assertThat(rejected.failure().code()).isEqualTo(Failure.ABANDONED));
        assertThat(caller.runs()).isZero();
        assertThat(events.take())
                .containsExactly("arbitrated: not committed", "failed abandoned", "rejected abandoned");
        assertThat(caller.call(attempt("k"), "mine")).isEqualTo(outcome);
        assertThat(succeeds(record, "too late")).isFalse();
        assertThat(((Failed) found(key("k"))).failure().code()).isEqualTo(Failure.ABANDONED);
    }

    @Test
    void leftKeyStaysPending() throws Exception {
        TestOperation<C> caller = caller().inDatabase(operation ->
                        operation.whenAbandoned(Operation.Abandoned.LEAVE, NONE).waitAtMost(Duration.ofMillis(1)))
                .build();
        Pending record = abandoned("k", Optional.of("plan"));

        assertInProgress(caller.call(attempt("k"), "mine"), Ending.NEEDS_OPERATOR);

        assertThat(record("k")).isEqualTo(record);
        assertThat(faulty.calls()).doesNotContain(StoreCall.LOCK);
    }

    @Test
    void graceIsCountedFromTheLastSignOfLife() throws Exception {
        requireSparedAfterTheGrace(Runnable::run);
    }

    @Test
    void signOfLifeBetweenTheLookAndTheLockSparesTheLeader() throws Exception {
        requireSparedAfterTheGrace(
                signOfLife -> faulty.at(StoreCall.LOCK).before(() -> AnotherThread.run(signOfLife::run)));
    }

    /** The record is older than the grace period; its leader proves that it is alive, now or later. */
    private void requireSparedAfterTheGrace(Consumer<Runnable> nowOrLater) throws Exception {
        // Long enough for the rest of this test; otherwise the test is repeated with more.
        for (Duration grace = Duration.ofMillis(50);
                grace.compareTo(Duration.ofSeconds(5)) < 0;
                grace = grace.multipliedBy(3)) {
            Duration granted = grace;
            TestOperation<C> caller = caller().inDatabase(operation -> operation
                            .whenAbandoned(Operation.Abandoned.TAKE_OVER, granted)
                            .waitAtMost(Duration.ofMillis(1)))
                    .build();
            String value = "k" + grace.toMillis();
            Pending record = pendingOfAnother(key(value), Protocol.CLAIM_FIRST, Optional.empty());
            letTimePass(grace);
            nowOrLater.accept(() -> assertThat(signOfLife(record)).isTrue());

            Outcome<String> outcome = caller.call(attempt(value), "mine");

            if (age(record.key()).compareTo(grace) < 0) {
                assertThat(outcome).isInstanceOf(Outcome.InProgress.class);
                assertThat(record(value)).isEqualTo(record);
                assertThat(caller.runs()).isZero();
                return;
            }
            faulty.disarm();
        }
        throw new AssertionError("The leader's last change made the record no younger");
    }

    private Duration age(IdempotencyKey key) {
        return read(key)
                .filter(record -> record instanceof Pending)
                .map(ContractTest::age)
                .orElse(DAY);
    }

    private boolean signOfLife(Pending record) {
        return changes(transaction -> transaction.replaceToken(record.key(), record.token(), record.token()));
    }

    @Test
    void leaderThatHoldsTheLockIsAlive() throws Exception {
        TestOperation<C> caller = caller().inDatabase(operation -> operation
                        .whenAbandoned(Operation.Abandoned.TAKE_OVER, NONE)
                        .waitAtMost(Duration.ofMillis(1)))
                .build();
        Pending record = abandoned("k", Optional.of("plan"));

        inTransaction((transaction, scope) -> {
            transaction.lock(record.key(), Duration.ZERO);
            domain.write(scope.handle(), "leader's");
            transaction.succeed(record.key(), record.token(), Optional.of(bytes("leader's")));
            assertThat(AnotherThread.get(() -> caller.call(attempt("k"), "mine")))
                    .isInstanceOf(Outcome.InProgress.class);
            return true;
        });

        assertThat(caller.call(attempt("k"), "mine").orElseThrow()).isEqualTo("leader's");
        assertThat(caller.runs()).isZero();
        assertThat(effects()).containsExactly("leader's");
    }

    @Test
    void arbiterThatComesTooLateFollows() throws Exception {
        for (TestOperation.Builder<C> arbiter : List.of(failing(), takingOver())) {
            TestOperation<C> caller = arbiter.build();
            String value = "k-" + caller.hashCode();
            Pending record = abandoned(value, Optional.empty());
            faulty.at(StoreCall.LOCK)
                    .before(() -> AnotherThread.run(
                            () -> assertThat(succeeds(record, "leader's")).isTrue()));

            assertThat(caller.call(attempt(value), "mine").orElseThrow()).isEqualTo("leader's");

            assertThat(caller.runs()).isZero();
        }
    }

    @Test
    void arbitrationWhoseAnswerIsLostReturnsWhatIsStored() throws Exception {
        for (boolean done : List.of(true, false)) {
            TestOperation<C> caller = failing().build();
            String value = "done-" + done;
            abandoned(value, Optional.empty());
            if (done) {
                faulty.at(StoreCall.COMMIT).losesAnswer();
            } else {
                faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
            }

            assertThat(caller.call(attempt(value), "mine")).isInstanceOf(Outcome.Rejected.class);

            assertThat(isFailed(value)).isTrue();
        }
    }

    @Test
    void arbiterThatIsNeverAnsweredDoesNotKnow() {
        TestOperation<C> caller = takingOver().build();
        Pending record = abandoned("k", Optional.empty());
        faulty.at(StoreCall.LOCK).always().fails(Fault.CONNECTION_LOST);

        assertThatThrownBy(() -> caller.call(attempt("k"), "mine")).isInstanceOf(OutcomeUnknownException.class);

        assertThat(record("k")).isEqualTo(record);
        assertThat(caller.runs()).isZero();
        assertThat(faulty.calls()).hasSizeLessThan(80);
    }

    @Test
    void planThatCannotBeReadDoesNotKeepAnAbandonedKeyFromFailing() throws Exception {
        TestOperation<C> caller = failing()
                .codec(ResultCodec.of(text -> text.getBytes(StandardCharsets.UTF_8), bytes -> {
                    throw new IOException("an old form");
                }))
                .build();
        abandoned("k", Optional.of("plan"));

        assertThat(caller.call(attempt("k"), "mine")).isInstanceOf(Outcome.Rejected.class);
    }

    @Test
    void onlyClaimsOfTheirOwnTransactionInThisDatabaseAreArbitrated() throws Exception {
        for (Protocol protocol : List.of(Protocol.EXTERNAL, Protocol.SINGLE_TRANSACTION)) {
            Pending record = pendingOfAnother(key(protocol.name()), protocol, Optional.of("plan"));
            letTimePass(Duration.ofNanos(1000));
            for (TestOperation.Builder<C> arbiter : List.of(
                    caller().inDatabase(operation -> operation
                            .whenAbandoned(Operation.Abandoned.FAIL, NONE)
                            .waitAtMost(Duration.ofMillis(1))),
                    caller().inDatabase(operation -> operation
                            .whenAbandoned(Operation.Abandoned.TAKE_OVER, NONE)
                            .waitAtMost(Duration.ofMillis(1))))) {
                assertThat(arbiter.build().call(attempt(protocol.name()), "mine"))
                        .isInstanceOf(Outcome.InProgress.class);
            }
            assertThat(record(protocol.name())).isEqualTo(record);
        }
        assertThat(faulty.calls()).doesNotContain(StoreCall.LOCK);
        assertThat(effects()).isEmpty();
    }

    @Test
    void keyOfAnotherRequestIsNotArbitrated() throws Exception {
        Pending record = abandoned("k", Optional.empty());

        for (TestOperation.Builder<C> arbiter : List.of(failing(), takingOver())) {
            assertThat(arbiter.build().call(attempt("k", "another request"), "mine"))
                    .isInstanceOf(Outcome.KeyReused.class);
        }
        assertThat(record("k")).isEqualTo(record);
    }

    @Test
    void interruptedArbiterFinishesItsArbitration() {
        TestOperation<C> caller = failing().build();
        abandoned("k", Optional.empty());

        AnotherThread.run(() -> {
            Thread.currentThread().interrupt();
            assertThat(caller.call(attempt("k"), "mine")).isInstanceOf(Outcome.Rejected.class);
            assertThat(Thread.interrupted()).isTrue();
        });

        assertThat(isFailed("k")).isTrue();
    }
}
