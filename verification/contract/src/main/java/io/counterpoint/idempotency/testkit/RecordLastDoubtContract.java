package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.testkit.faults.InjectedFault;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A commit whose reply is lost may arrive late, with its record. The caller claims the key before anything else. */
abstract class RecordLastDoubtContract<C> extends OperationContractTest<C> {

    RecordLastDoubtContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Test
    void commitThatArrivedUnansweredIsFoundByTheClaimAndConfirmed() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.COMMIT).losesAnswer();

        assertThat(caller.call(attempt("k"), "result")).isEqualTo(new Outcome.Executed<>(key("k"), "result"));

        assertThat(caller.runs()).isEqualTo(1);
        assertThat(effects()).containsExactly("result");
        assertThat(faulty.calls())
                .containsSubsequence(StoreCall.COMMIT, StoreCall.CLAIM, StoreCall.LOCK, StoreCall.CONFIRM);
        assertThat(events.take()).containsExactly("commit unknown", "succeeded");
    }

    @Test
    void commitThatDidNotArriveIsRunAgainUnderAClaim() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);

        assertThat(caller.call(attempt("k"), "result")).isEqualTo(new Outcome.Executed<>(key("k"), "result"));

        assertThat(caller.runs()).isEqualTo(2);
        assertThat(effects()).containsExactly("result");
        assertThat(found(key("k")).protocol()).isEqualTo(Protocol.CLAIM_FIRST);
        assertThat(events.take()).containsExactly("commit unknown", "claimed", "succeeded");
    }

    @Test
    void claimIsMadeBeforeTheWorkRunsAgain() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
        faulty.at(StoreCall.CLAIM).before(() -> assertThat(caller.runs()).isEqualTo(1));

        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);

        assertThat(faulty.calls()).contains(StoreCall.CLAIM);
    }

    /**
     * The record may have been purged by then. The claim no longer keeps anything out, and does not prove that nothing
     * arrived.
     */
    @Test
    void commitInDoubtForLongerThanTheRetentionIsUnknownIfThereIsNoRecord() throws Exception {
        for (boolean claimAnswered : List.of(true, false)) {
            TestOperation<C> caller = caller().build();
            String value = "answered-" + claimAnswered;
            faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
            if (!claimAnswered) {
                faulty.at(StoreCall.CLAIM).losesAnswer();
            }

            assertThatThrownBy(() -> caller.call(attempt(value), value, effects -> {
                        clock.advance(Duration.ofDays(2));
                        effects.write();
                    }))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("purged");

            assertThat(caller.runs()).isEqualTo(1);
            assertThat(effects()).doesNotContain(value);
            requireUnresolved(caller, value);
        }
    }

    @Test
    void claimThatFindsARivalsRecordFollowsIt() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
        faulty.at(StoreCall.CLAIM).before(() -> rivalSucceeds("k"));

        assertThat(caller.call(attempt("k"), "mine")).isEqualTo(new Outcome.Replayed<>(key("k"), "theirs"));

        assertThat(caller.runs()).isEqualTo(1);
        assertThat(effects()).containsExactly("theirs");
    }

    @Test
    void claimThatCannotBeHadIsUnknownAndTheNextCallIsExact() throws Exception {
        for (Fault fault : List.of(Fault.LOCK_TIMEOUT, Fault.CONNECTION_LOST)) {
            for (boolean committed : List.of(true, false)) {
                TestOperation<C> caller = caller().build();
                String value = fault + "-" + committed;
                if (committed) {
                    faulty.at(StoreCall.COMMIT).losesAnswer();
                } else {
                    faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
                }
                faulty.at(StoreCall.CLAIM).always().fails(fault);

                assertThatThrownBy(() -> caller.call(attempt(value), value))
                        .isInstanceOf(OutcomeUnknownException.class)
                        .hasCauseInstanceOf(InjectedFault.class);

                assertThat(caller.runs()).isEqualTo(1);
                faulty.disarm();
                Outcome<String> retry = caller.call(attempt(value), "retry of " + value);
                assertThat(retry.orElseThrow()).isEqualTo(committed ? value : "retry of " + value);
            }
        }
    }

    @Test
    void workThatFailsAfterADoubtFailsTheKey() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
        IOException thrown = new IOException("passing");

        assertThatThrownBy(() -> caller.call(attempt("k"), "result", effects -> {
                    effects.write();
                    if (caller.runs() == 2) {
                        throw thrown;
                    }
                }))
                .isSameAs(thrown);

        assertThat(isFailed("k")).isTrue();
        assertThat(effects()).isEmpty();
    }

    @Test
    void claimOfACallerThatDiedAfterADoubtIsDecidedAsChosen() throws Exception {
        for (boolean takeOver : List.of(true, false)) {
            String value = "takeover-" + takeOver;
            TestOperation<C> dying = caller().build();
            faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
            faulty.at(StoreCall.CLAIM).losesAnswer();
            faulty.at(StoreCall.LOCK).always().fails(Fault.CONNECTION_LOST);
            assertThatThrownBy(() -> dying.call(attempt(value), "theirs")).isInstanceOf(OutcomeUnknownException.class);
            assertThat(isPending(value)).isTrue();
            faulty.disarm();
            letTimePass(Duration.ofNanos(1000));

            TestOperation<C> follower = anotherCaller()
                    .inDatabase(operation -> takeOver
                            ? operation.whenAbandoned(Operation.Abandoned.TAKE_OVER, Duration.ofNanos(1))
                            : operation.whenAbandoned(Operation.Abandoned.FAIL, Duration.ofNanos(1)))
                    .build();
            Outcome<String> answer = follower.call(attempt(value), "mine");

            assertThat(answer).isInstanceOf(takeOver ? Outcome.Executed.class : Outcome.Rejected.class);
            assertThat(isPending(value)).isFalse();
        }
        assertThat(effects()).containsExactly(way.planned ? "theirs" : "mine");
    }

    @Test
    void successIsNotReturnedBeforeItIsConfirmed() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.COMMIT).losesAnswer();
        faulty.at(StoreCall.CONFIRM).always().fails(Fault.CONNECTION_LOST);

        assertThatThrownBy(() -> caller.call(attempt("k"), "result")).isInstanceOf(OutcomeUnknownException.class);

        faulty.disarm();
        assertThat(effects()).containsExactly("result");
        assertThat(caller.call(attempt("k"), "another").orElseThrow()).isEqualTo("result");
        assertThat(faulty.calls()).endsWith(StoreCall.CONFIRM, StoreCall.COMMIT);
    }
}
