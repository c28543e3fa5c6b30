package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException.OutcomeUnknownException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.testkit.FaultyStore.Injected;
import io.counterpoint.idempotency.testkit.FaultyStore.Step;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Effects elsewhere: an exception proves nothing, past effects never run again, and the lookup finds it. */
abstract class ExternalFailureContract<C> extends OperationContractTest<C> {

    ExternalFailureContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    private static void raise(Throwable thrown) throws Exception {
        if (thrown instanceof Error error) {
            throw error;
        }
        throw (Exception) thrown;
    }

    @Test
    void whateverTheWorkThrowsProvesNothing() throws Exception {
        for (Throwable thrown : List.of(
                new IOException("checked"),
                new IllegalArgumentException("unchecked"),
                new AssertionError("error"),
                new Injected(Fault.CONFLICT),
                new Injected(Fault.STATEMENT_REFUSED))) {
            TestOperation<C> caller = caller().build();
            String value = "k-" + thrown.hashCode();

            Throwable told = catchThrowable(() -> caller.call(attempt(value), "result", effects -> raise(thrown)));

            assertThat(told).isInstanceOf(OutcomeUnknownException.class);
            assertThat(told.getCause()).isSameAs(thrown);
            assertThat(isPending(value)).isTrue();
            assertThat(events.take()).containsExactly("claimed", "commit unknown");
            assertThat(caller.call(attempt(value), "result")).isInstanceOf(Outcome.InProgress.class);
            assertThat(caller.runs()).isEqualTo(1);
            assertThat(events.take()).containsExactly("in progress");
        }
        assertThat(effects()).isEmpty();
    }

    @Test
    void effectOfWorkThatThrewAfterItIsHealed() throws Exception {
        TestOperation<C> caller = caller().build();

        assertThatThrownBy(() -> caller.call(attempt("k"), "result", effects -> {
                    effects.write();
                    throw new IOException("timeout");
                }))
                .isInstanceOf(OutcomeUnknownException.class);
        events.take();

        assertThat(caller.call(attempt("k"), "another"))
                .isEqualTo(new Outcome.Healed<>(key("k"), "result", Optional.empty()));
        assertThat(caller.call(attempt("k"), "another"))
                .isEqualTo(new Outcome.Replayed<>(key("k"), "result", Optional.empty()));
        assertThat(caller.runs()).isEqualTo(1);
        assertThat(effects()).containsExactly("result");
        assertThat(events.take()).containsExactly("healed", "replayed");
    }

    @Test
    void interruptedExceptionLeavesTheThreadInterrupted() {
        TestOperation<C> caller = caller().build();

        boolean interrupted = AnotherThread.get(() -> {
            assertThatThrownBy(() -> caller.call(attempt("k"), "result", effects -> {
                        throw new InterruptedException();
                    }))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasCauseInstanceOf(InterruptedException.class);
            return Thread.interrupted();
        });

        assertThat(interrupted).isTrue();
        assertThat(isPending("k")).isTrue();
    }

    @Test
    void declaredNoEffectFailsTheAttemptWithTheSameObject() throws Exception {
        TestOperation<C> caller = caller().outside(operation -> operation
                        .noEffectWhen(thrown -> thrown instanceof IOException)
                        .describeFailure(thrown -> new Failure("refused", "")))
                .build();
        IOException thrown = new IOException("refused");

        assertThat(catchThrowable(() -> caller.call(attempt("k"), "result", effects -> {
                    throw thrown;
                })))
                .isSameAs(thrown);

        assertThat(events.take()).containsExactly("claimed", "failed refused");
        assertThat(caller.call(attempt("k"), "result"))
                .isEqualTo(new Outcome.Rejected<>(key("k"), new Failure("refused", ""), Optional.empty()));
        assertThat(catchThrowable(() -> caller.call(attempt("other"), "result", effects -> {
                    throw new IllegalStateException();
                })))
                .isInstanceOf(OutcomeUnknownException.class);
        assertThat(caller.runs()).isEqualTo(2);
    }

    @Test
    void declarationThatThrowsDeclaresNothing() {
        for (Throwable undecided : List.of(new IllegalStateException("undecided"), new AssertionError("undecided"))) {
            TestOperation<C> caller = caller().outside(operation -> operation.noEffectWhen(thrown -> {
                        throw OperationContractTest.<RuntimeException>same(undecided);
                    }))
                    .build();
            String value = undecided.getClass().getSimpleName();
            IOException thrown = new IOException("timeout");

            assertThatThrownBy(() -> caller.call(attempt(value), "result", effects -> {
                        throw thrown;
                    }))
                    .isInstanceOf(OutcomeUnknownException.class);

            assertThat(thrown).hasSuppressedException(undecided);
            assertThat(isPending(value)).isTrue();
        }
    }

    @Test
    void releasedKeyCanBeUsedAgain() throws Exception {
        TestOperation<C> caller = caller().outside(
                        operation -> operation.releaseOn(thrown -> thrown instanceof IOException))
                .build();
        IOException thrown = new IOException("never reached");

        assertThat(catchThrowable(() -> caller.call(attempt("k"), "result", effects -> {
                    throw thrown;
                })))
                .isSameAs(thrown);

        assertThat(events.take()).containsExactly("claimed", "released");
        assertThat(read(key("k"))).isEmpty();
        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    void noEffectThatCannotBeRecordedIsNotToldAsAFailure() {
        TestOperation<C> caller = caller().outside(operation -> operation.noEffectWhen(thrown -> true))
                .build();
        faulty.at(Step.FAIL).always().fails(Fault.CONNECTION_LOST);
        IOException thrown = new IOException("refused");

        assertThatThrownBy(() -> caller.call(attempt("k"), "result", effects -> {
                    throw thrown;
                }))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasCause(thrown);

        assertThat(isPending("k")).isTrue();
    }

    @Test
    void resultIsToldThoughTheMarkFailsAndTheNextCallHeals() throws Exception {
        for (Fault fault :
                List.of(Fault.CONNECTION_LOST, Fault.STATEMENT_REFUSED, Fault.CONFLICT, Fault.UNRECOGNISED)) {
            TestOperation<C> caller = caller().build();
            String value = fault.name();
            faulty.at(Step.SUCCEED).always().fails(fault);

            assertThat(caller.call(attempt(value), value)).isEqualTo(new Outcome.Executed<>(key(value), value));

            assertThat(isPending(value)).isTrue();
            assertThat(events.take()).containsExactly("claimed");
            faulty.disarm();
            assertThat(caller.call(attempt(value), "another"))
                    .isEqualTo(new Outcome.Healed<>(key(value), value, Optional.empty()));
            assertThat(isSucceeded(value)).isTrue();
            assertThat(caller.runs()).isEqualTo(1);
            events.take();
        }
    }

    @Test
    void markWhoseAnswerIsLostIsMadeAgainAndFoundDone() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(Step.SUCCEED).losesAnswer();

        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);

        assertThat(isSucceeded("k")).isTrue();
        assertThat(events.take()).containsExactly("claimed", "succeeded");
    }

    @Test
    void markIsMadeAgainAfterAPassingFault() throws Exception {
        for (Fault fault : List.of(Fault.CONNECTION_LOST, Fault.CONFLICT, Fault.LOCK_TIMEOUT, Fault.CANCELLED)) {
            faulty.at(Step.SUCCEED).fails(fault);

            assertThat(caller().build().call(attempt(fault.name()), "result")).isInstanceOf(Outcome.Executed.class);

            assertThat(isSucceeded(fault.name())).isTrue();
        }
    }

    @Test
    void leaderThatWasHealedMeanwhileGivesTheStoredResult() throws Exception {
        TestOperation<C> caller = caller().build();

        Outcome<String> outcome = caller.call(attempt("k"), "result", effects -> {
            effects.write();
            IdempotencyRecord record = found(key("k"));
            assertThat(changes(transaction ->
                            transaction.succeed(record.key(), record.token(), Optional.of(bytes("stored")))))
                    .isTrue();
        });

        assertThat(outcome).isEqualTo(new Outcome.Executed<>(key("k"), "stored"));
    }

    @Test
    void followerHealsWhileTheLeaderHasNotYetSaidThatItIsDone() throws Exception {
        TestOperation<C> caller = caller().build();

        Outcome<String> leaders = caller.call(attempt("k"), "result", effects -> {
            effects.write();
            assertThat(AnotherThread.get(() -> anotherCaller().build().call(attempt("k"), "another")))
                    .isEqualTo(new Outcome.Healed<>(key("k"), "result", Optional.empty()));
        });

        assertThat(leaders.orElseThrow()).isEqualTo("result");
        assertThat(effects()).containsExactly("result");
    }

    @Test
    void healThatCannotBeWrittenIsToldAndMadeByTheNextCall() throws Exception {
        TestOperation<C> caller = caller().build();
        Pending record = pendingOfAnother("k", way.planned ? Optional.of("result") : Optional.empty());
        remote.add(record.key(), "result");
        faulty.at(Step.SUCCEED).fails(Fault.CONNECTION_LOST);

        assertThat(caller.call(attempt("k"), "another").orElseThrow()).isEqualTo("result");
        assertThat(isPending("k")).isTrue();

        assertThat(caller.call(attempt("k"), "another")).isInstanceOf(Outcome.Healed.class);
        assertThat(isSucceeded("k")).isTrue();
        assertThat(caller.runs()).isZero();
    }

    @Test
    void healThatComesTooLateTellsWhatIsStored() throws Exception {
        TestOperation<C> caller = caller().build();
        Pending record = pendingOfAnother("k", way.planned ? Optional.of("result") : Optional.empty());
        remote.add(record.key(), "result");
        faulty.at(Step.SUCCEED)
                .before(() -> AnotherThread.run(
                        () -> assertThat(succeeds(record, "result")).isTrue()));

        assertThat(caller.call(attempt("k"), "another"))
                .isEqualTo(new Outcome.Replayed<>(key("k"), "result", Optional.empty()));
    }

    @Test
    void lookUpThatFailsLeavesTheRecordAsItIs() throws Exception {
        TestOperation<C> caller = caller().build();
        Pending record = pendingOfAnother("k", Optional.empty());
        for (Exception thrown : List.of(new IOException("down"), new IllegalStateException("broken"))) {
            remote.outOfReach(thrown);

            assertThatThrownBy(() -> caller.call(attempt("k"), "another"))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasCause(thrown);
            assertThat(record("k")).isEqualTo(record);
        }
        remote.outOfReach(null);

        assertThat(caller.call(attempt("k"), "another")).isInstanceOf(Outcome.InProgress.class);
        assertThat(caller.runs()).isZero();
    }

    @Test
    void interruptedLookUpLeavesTheThreadInterrupted() {
        TestOperation<C> caller = caller().build();
        pendingOfAnother("k", Optional.empty());
        remote.outOfReach(new InterruptedException());

        boolean interrupted = AnotherThread.get(() -> {
            assertThatThrownBy(() -> caller.call(attempt("k"), "another")).isInstanceOf(OutcomeUnknownException.class);
            return Thread.interrupted();
        });

        assertThat(interrupted).isTrue();
    }

    @Test
    void externalRecordIsNeverArbitratedNotEvenByAnOperationThatWould() throws Exception {
        Pending record = pendingOfAnother("k", Optional.of("plan"));
        TestOperation.Builder<C> claimFirst = new TestOperation.Builder<>(
                ProtocolVariant.CLAIM_FIRST, Idempotency.builder(faulty).clock(clock), domain, remote);
        letTimePass(Duration.ofMillis(2));

        for (TestOperation<C> arbiter : List.of(
                claimFirst
                        .inDatabase(operation -> operation.failAbandonedAfter(Duration.ofNanos(1)))
                        .build(),
                claimFirst
                        .inDatabase(operation -> operation.takeOverAbandonedAfter(Duration.ofNanos(1)))
                        .build())) {
            assertThat(arbiter.call(attempt("k"), "another")).isInstanceOf(Outcome.InProgress.class);
            assertThat(arbiter.runs()).isZero();
        }
        assertThat(record("k")).isEqualTo(record);
        assertThat(faulty.calls()).doesNotContain(Step.LOCK);
    }

    @Test
    void leaderThatWasHealedBetweenTwoTriesOfItsMarkGivesTheStoredResult() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(Step.SUCCEED).fails(Fault.CONNECTION_LOST);
        faulty.at(Step.LOCK)
                .before(() -> AnotherThread.run(() -> {
                    UUID fresh = UUID.randomUUID();
                    IdempotencyRecord record = found(key("k"));
                    assertThat(changes(transaction -> transaction.replaceToken(record.key(), record.token(), fresh)))
                            .isTrue();
                    assertThat(changes(transaction ->
                                    transaction.succeed(record.key(), fresh, Optional.of(bytes("stored")))))
                            .isTrue();
                }));

        assertThat(caller.call(attempt("k"), "result")).isEqualTo(new Outcome.Executed<>(key("k"), "stored"));

        assertThat(events.take()).doesNotContain("succeeded");
    }

    /** A claim that only a read has shown may be gone after a failover, and another caller would lead. */
    @Test
    void effectDoesNotBeginBeforeItsClaimIsConfirmed() {
        TestOperation<C> caller = caller().build();
        faulty.at(Step.CLAIM)
                .after(() -> faulty.at(Step.COMMIT).always().fails(Fault.CONNECTION_LOST))
                .losesAnswer();

        assertThatThrownBy(() -> caller.call(attempt("k"), "result")).isInstanceOf(OutcomeUnknownException.class);

        assertThat(caller.runs()).isZero();
        assertThat(effects()).isEmpty();
    }
}
