package io.counterpoint.idempotency.testkit;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.testkit.faults.InjectedFault;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The record's primary key decides, and nothing else is trusted. */
abstract class RecordLastRulesContract<C> extends OperationContractTest<C> {

    RecordLastRulesContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    private static TestOperation.Work beside(Runnable rival) {
        return effects -> {
            effects.write();
            rival.run();
        };
    }

    @Test
    void workIsCommittedWithItsRecordAndWithoutAClaim() throws Exception {
        TestOperation<C> caller = caller().build();

        assertThat(caller.call(attempt("k"), "result")).isEqualTo(new Outcome.Executed<>(key("k"), "result"));

        assertThat(faulty.calls()).containsExactly(StoreCall.OPEN, StoreCall.INSERT, StoreCall.COMMIT);
        assertThat(events.take()).containsExactly("succeeded");
        assertThat(effects()).containsExactly("result");
        assertThat(found(key("k")))
                .isEqualTo(new Succeeded(
                        key("k"),
                        Protocol.SINGLE_TRANSACTION,
                        found(key("k")).token(),
                        Fingerprint.ofParts("request"),
                        Optional.of(bytes("result"))));
        assertThat(caller.call(attempt("k"), "again")).isInstanceOf(Outcome.Replayed.class);
        assertThat(caller.runs()).isEqualTo(1);
    }

    @Test
    void callerBesideAnotherThatCommitsIsRolledBackAndReplays() throws Exception {
        TestOperation<C> caller = caller().build();

        assertThat(caller.call(attempt("k"), "mine", beside(() -> rivalSucceeds("k"))))
                .isEqualTo(new Outcome.Replayed<>(key("k"), "theirs"));

        assertThat(effects()).containsExactly("theirs");
        assertThat(caller.runs()).isEqualTo(1);
    }

    @Test
    void callerBesideAnotherRequestThatCommitsIsRolledBackAndRefused() throws Exception {
        TestOperation<C> caller = caller().build();

        assertThat(caller.call(attempt("k", "another request"), "mine", beside(() -> rivalSucceeds("k"))))
                .isEqualTo(new Outcome.KeyReused<>(key("k")));

        assertThat(effects()).containsExactly("theirs");
    }

    @Test
    void callerBesideAnAttemptThatFailsIsRolledBackAndRejected() throws Exception {
        TestOperation<C> caller = caller().build();

        Outcome<String> outcome =
                caller.call(attempt("k"), "mine", beside(() -> AnotherThread.run(() -> plant(failed("k")))));

        assertThat(outcome).isInstanceOf(Outcome.Rejected.class);
        assertThat(effects()).isEmpty();
    }

    @Test
    void callerBesideAClaimIsRolledBackAndInProgress() throws Exception {
        TestOperation<C> caller = caller().build();

        Outcome<String> outcome = caller.call(
                attempt("k"), "mine", beside(() -> AnotherThread.run(() -> pendingOfAnother("k", Optional.empty()))));

        assertThat(outcome).isInstanceOf(Outcome.InProgress.class);
        assertThat(effects()).isEmpty();
    }

    @Test
    void exceptionOfTheWorkIsToldOnceTheAttemptHasFailed() throws Exception {
        TestOperation<C> caller = caller().build();
        IOException thrown = new IOException("domain");

        assertThat(thrownBy(caller, "k", thrown)).isSameAs(thrown);

        assertThat(isFailed("k")).isTrue();
        assertThat(effects()).isEmpty();
        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Rejected.class);
        assertThat(caller.runs()).isEqualTo(1);
    }

    @Test
    void exceptionOfWorkThatMetTheEffectComesWithTheAnswer() throws Exception {
        TestOperation<C> caller = caller().build();
        IOException thrown = new IOException("no funds: the first try has spent them");

        Outcome<String> outcome = caller.call(attempt("k"), "mine", effects -> {
            rivalSucceeds("k");
            throw thrown;
        });

        assertThat(outcome).isEqualTo(new Outcome.Replayed<>(key("k"), "theirs"));
        assertThat(outcome.suppressedFailure()).containsSame(thrown);
        assertThat(caller.runs()).isEqualTo(1);
    }

    /** Another caller, or an earlier commit of this one, may be about to commit it. */
    @Test
    void operationThatReleasesItsKeyIsRefused() {
        assertThatThrownBy(() -> caller().inDatabase(operation -> operation.releaseOn(thrown -> true))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("RECORD_LAST", "releaseOn");
    }

    @Test
    void whatMayPassIsRunAgainAndNeverFails() throws Exception {
        for (Fault fault : List.of(Fault.LOCK_TIMEOUT, Fault.CONFLICT, Fault.CANCELLED, Fault.CONNECTION_LOST)) {
            TestOperation<C> caller = caller().build();
            String value = fault.name();
            InjectedFault met = new InjectedFault(fault);

            assertThat(thrownBy(caller, value, met))
                    .isInstanceOf(NotStartedException.class)
                    .hasCause(met);

            assertThat(caller.runs()).as(value).isEqualTo(4);
            assertThat(read(key(value))).isEmpty();
            assertThat(effects()).doesNotContain("result");
            assertThat(caller.call(attempt(value), value)).isInstanceOf(Outcome.Executed.class);
            assertThat(effects()).contains(value);
        }
    }

    @Test
    void commitThatIsRefusedForWhatMayPassNeverFails() throws Exception {
        for (Fault fault : List.of(Fault.CONFLICT, Fault.CANCELLED)) {
            TestOperation<C> caller = caller().build();
            faulty.at(StoreCall.COMMIT).always().fails(fault);

            assertThatThrownBy(() -> caller.call(attempt(fault.name()), "result"))
                    .isInstanceOf(NotStartedException.class)
                    .hasCauseInstanceOf(InjectedFault.class);

            assertThat(caller.runs()).isEqualTo(4);
            faulty.disarm();
            assertThat(read(key(fault.name()))).isEmpty();
        }
        assertThat(effects()).isEmpty();
    }

    @Test
    void callerWhoseInsertWaitsInVainIsInProgress() throws Exception {
        TestOperation<C> caller =
                caller().inDatabase(operation -> operation.waitAtMost(SHORT)).build();
        faulty.at(StoreCall.INSERT).always().fails(Fault.LOCK_TIMEOUT);
        clock.onSleep(pause -> clock.advance(LONG));

        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.InProgress.class);

        faulty.disarm();
        assertThat(read(key("k"))).isEmpty();
        assertThat(effects()).isEmpty();
    }

    @Test
    void refusalWithoutARecordIsTheWorksOwn() throws Exception {
        for (StoreCall refused : List.of(StoreCall.INSERT, StoreCall.COMMIT)) {
            TestOperation<C> caller = caller().build();
            faulty.at(refused).always().fails(Fault.STATEMENT_REFUSED);

            Throwable thrown = catchThrowable(() -> caller.call(attempt(refused.name()), "result"));

            faulty.disarm();
            assertThat(thrown).isInstanceOf(InjectedFault.class);
            assertThat(isFailed(refused.name())).isTrue();
            assertThat(caller.runs()).isEqualTo(2);
        }
        assertThat(effects()).isEmpty();
    }

    /** The rival's record rejected that of the first run, and is gone by the time the call looks for it. */
    @Test
    void refusalByARecordThatIsReleasedIsRunAgain() throws Exception {
        TestOperation<C> caller = caller().build();
        AtomicReference<Pending> rival = new AtomicReference<>();
        faulty.at(StoreCall.READ).before(() -> AnotherThread.run(() -> release(requireNonNull(rival.get()))));

        Outcome<String> outcome = caller.call(attempt("k"), "mine", effects -> {
            effects.write();
            if (caller.runs() == 1) {
                AnotherThread.run(() -> rival.set(pendingOfAnother("k", Optional.empty())));
            }
        });

        assertThat(outcome).isEqualTo(new Outcome.Executed<>(key("k"), "mine"));
        assertThat(caller.runs()).isEqualTo(2);
        assertThat(effects()).containsExactly("mine");
        assertThat(events.take()).containsExactly("retried", "succeeded");
    }

    private void release(Pending rival) {
        try (Session<C> session = store.open(rival.key())) {
            assertThat(session.<Boolean>autoCommit(steps -> steps.release(rival.key(), rival.token())))
                    .isTrue();
        }
    }

    @Test
    void refusalWhoseRecordCannotBeReadIsAskedAgain() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.READ).fails(Fault.CONNECTION_LOST);

        assertThat(caller.call(attempt("k"), "mine", beside(() -> rivalSucceeds("k"))))
                .isEqualTo(new Outcome.Replayed<>(key("k"), "theirs"));

        assertThat(caller.runs()).isEqualTo(1);
    }
}
