package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.Outcome.Ending;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Followers of an external attempt. They look its effect up and heal its record, and never arbitrate it. */
abstract class ExternalHealContract<C> extends OperationContractTest<C> {

    private static final Failure DECLINED = new Failure("declined", "");

    ExternalHealContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Test
    void followerHealsWhileTheLeaderHasNotYetSaidThatItIsDone() throws Exception {
        TestOperation<C> caller = caller().build();

        Outcome<String> leaders = caller.call(attempt("k"), "result", effects -> {
            effects.write();
            assertThat(AnotherThread.get(() -> anotherCaller().build().call(attempt("k"), "another")))
                    .isEqualTo(new Outcome.Healed<>(key("k"), "result"));
        });

        assertThat(leaders.orElseThrow()).isEqualTo("result");
        assertThat(effects()).containsExactly("result");
    }

    @Test
    void unwrittenHealIsReturnedAndWrittenByTheNextCall() throws Exception {
        TestOperation<C> caller = caller().build();
        Pending record = pendingOfAnother("k", way.planned ? Optional.of("result") : Optional.empty());
        remote.add(record.key(), "result");
        faulty.at(StoreCall.SUCCEED).fails(Fault.CONNECTION_LOST);

        assertThat(caller.call(attempt("k"), "another").orElseThrow()).isEqualTo("result");
        assertThat(isPending("k")).isTrue();

        assertThat(caller.call(attempt("k"), "another")).isInstanceOf(Outcome.Healed.class);
        assertThat(isSucceeded("k")).isTrue();
        assertThat(caller.runs()).isZero();
    }

    /** The plan may belong to a leader that has released its key, if it was read from an isolated primary. */
    @Test
    void unwrittenHealReturnsNoPlanWithoutItsEffect() throws Exception {
        TestOperation<C> caller = caller().build();
        Pending former = pendingOfAnother("k", way.planned ? Optional.of("of the former leader") : Optional.empty());
        remote.add(former.key(), "result");
        faulty.at(StoreCall.SUCCEED)
                .before(() -> AnotherThread.run(() -> {
                    assertThat(forget(former.key())).isTrue();
                    Pending unused = pendingOfAnother("k", way.planned ? Optional.of("result") : Optional.empty());
                }))
                .fails(Fault.CONNECTION_LOST);

        assertThat(caller.call(attempt("k"), "another").orElseThrow()).isEqualTo("result");
        assertThat(caller.runs()).isZero();
    }

    @Test
    void healThatComesTooLateReturnsWhatIsStored() throws Exception {
        TestOperation<C> caller = caller().build();
        Pending record = pendingOfAnother("k", way.planned ? Optional.of("result") : Optional.empty());
        remote.add(record.key(), "result");
        faulty.at(StoreCall.SUCCEED)
                .before(() -> AnotherThread.run(
                        () -> assertThat(succeeds(record, "result")).isTrue()));

        assertThat(caller.call(attempt("k"), "another")).isEqualTo(new Outcome.Replayed<>(key("k"), "result"));
    }

    /** Work that failed, supposedly without an effect, may have had one; a new key would then cause a second charge. */
    @Test
    void effectBesideAFailureIsNotAnsweredAsAFailure() {
        TestOperation<C> caller = caller().build();
        for (String value : List.of("found-again", "not-reached-again")) {
            remote.outOfReach(null);
            Pending record = pendingOfAnother(value, way.planned ? Optional.of("result") : Optional.empty());
            remote.add(record.key(), "result");
            faulty.at(StoreCall.SUCCEED)
                    .before(() -> AnotherThread.run(() -> {
                        assertThat(fails(record, DECLINED)).isTrue();
                        remote.outOfReach(value.equals("found-again") ? null : new IOException("down"));
                    }));

            assertThatExceptionOfType(OutcomeUnknownException.class)
                    .isThrownBy(() -> caller.call(attempt(value), "another"))
                    .returns(Reason.FAILED_WITH_EFFECT, OutcomeUnknownException::reason);
            assertThat(events.take()).endsWith("unresolved");
            assertThat(isFailed(value)).isTrue();
        }
    }

    @Test
    void effectThatItsLeaderHasTakenBackIsAFailure() throws Exception {
        TestOperation<C> caller = caller().build();
        Pending record = pendingOfAnother("k", way.planned ? Optional.of("result") : Optional.empty());
        remote.add(record.key(), "result");
        faulty.at(StoreCall.SUCCEED)
                .before(() -> AnotherThread.run(() -> {
                    remote.takeBack();
                    assertThat(fails(record, DECLINED)).isTrue();
                }));

        assertThat(caller.call(attempt("k"), "another")).isEqualTo(new Outcome.Rejected<>(key("k"), DECLINED));
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

        assertInProgress(caller.call(attempt("k"), "another"), Ending.NEEDS_OPERATOR);
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
    void externalRecordIsNeverArbitratedByAnyOperation() throws Exception {
        Pending record = pendingOfAnother("k", Optional.of("plan"));
        TestOperation.Builder<C> claimFirst = new TestOperation.Builder<>(
                ProtocolVariant.CLAIM_FIRST, Idempotency.builder(faulty).clock(clock), domain, remote);
        letTimePass(Duration.ofMillis(2));

        for (TestOperation<C> arbiter : List.of(
                claimFirst
                        .inDatabase(operation -> operation.whenAbandoned(Operation.Abandoned.FAIL, Duration.ofNanos(1)))
                        .build(),
                claimFirst
                        .inDatabase(operation ->
                                operation.whenAbandoned(Operation.Abandoned.TAKE_OVER, Duration.ofNanos(1)))
                        .build())) {
            assertThat(arbiter.call(attempt("k"), "another")).isInstanceOf(Outcome.InProgress.class);
            assertThat(arbiter.runs()).isZero();
        }
        assertThat(record("k")).isEqualTo(record);
        assertThat(faulty.calls()).doesNotContain(StoreCall.LOCK);
    }
}
