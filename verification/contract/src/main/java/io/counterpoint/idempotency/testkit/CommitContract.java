package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.ArmedCall;
import io.counterpoint.idempotency.testkit.faults.InjectedFault;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Commits whose reply is lost: the leader finds out what happened to its attempt, or reports that this is unknown. */
abstract class CommitContract<C> extends OperationContractTest<C> {

    CommitContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    /** The step with which a leader in doubt looks for its commit. */
    private StoreCall resolution() {
        return way.claimsFirst() ? StoreCall.LOCK : StoreCall.CLAIM;
    }

    private ArmedCall atResolution() {
        faulty.at(resolution());
        return faulty.at(resolution());
    }

    @Test
    void commitThatArrivedUnansweredIsExecuted() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.COMMIT).losesAnswer();

        assertThat(caller.call(attempt("k"), "result")).isEqualTo(new Outcome.Executed<>(key("k"), "result"));

        assertThat(caller.runs()).isEqualTo(1);
        assertThat(effects()).containsExactly("result");
        assertThat(isSucceeded("k")).isTrue();
        assertThat(events.take())
                .containsExactlyElementsOf(
                        way.claimsFirst()
                                ? List.of("claimed", "commit unknown", "arbitrated: committed", "succeeded")
                                : List.of("claimed", "commit unknown", "succeeded"));
    }

    @Test
    void commitThatDidNotArriveIsRunAgain() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);

        assertThat(caller.call(attempt("k"), "result")).isEqualTo(new Outcome.Executed<>(key("k"), "result"));

        assertThat(caller.runs()).isEqualTo(2);
        assertThat(caller.plans()).isEqualTo(way.planned ? 1 : 0);
        assertThat(effects()).containsExactly("result");
        assertThat(isSucceeded("k")).isTrue();
        assertThat(events.take())
                .containsExactlyElementsOf(
                        way.claimsFirst()
                                ? List.of(
                                        "claimed",
                                        "commit unknown",
                                        "arbitrated: not committed",
                                        "retried",
                                        "succeeded")
                                : List.of("claimed", "commit unknown", "claimed", "succeeded"));
    }

    @Test
    void commitsThatDoNotArriveInARowAreRunAgain() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
        if (way.claimsFirst()) {
            // The arbitration's own commit.
            faulty.at(StoreCall.COMMIT);
        }
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);

        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);

        assertThat(caller.runs()).isEqualTo(3);
        assertThat(effects()).containsExactly("result");
    }

    @Test
    void commitThatDidNotArriveAndAnotherThatDidGiveOneEffect() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
        if (way.claimsFirst()) {
            faulty.at(StoreCall.COMMIT);
        }
        faulty.at(StoreCall.COMMIT).losesAnswer();

        assertThat(caller.call(attempt("k"), "result")).isEqualTo(new Outcome.Executed<>(key("k"), "result"));

        assertThat(caller.runs()).isEqualTo(2);
        assertThat(effects()).containsExactly("result");
    }

    @Test
    void resolutionWhoseOwnAnswerIsLostIsMadeAgain() throws Exception {
        for (boolean committed : List.of(true, false)) {
            TestOperation<C> caller = caller().build();
            String value = "committed-" + committed;
            doubt(committed);
            if (way.claimsFirst()) {
                faulty.at(StoreCall.COMMIT).losesAnswer();
            } else {
                atResolution().losesAnswer();
            }

            assertThat(caller.call(attempt(value), value)).isEqualTo(new Outcome.Executed<>(key(value), value));

            assertThat(caller.runs()).isEqualTo(committed ? 1 : 2);
            assertThat(effects()).containsOnlyOnce(value);
            faulty.disarm();
        }
    }

    @Test
    void resolutionThatFailsIsMadeAgain() throws Exception {
        for (Fault fault : List.of(Fault.CONNECTION_LOST, Fault.CONFLICT, Fault.LOCK_TIMEOUT, Fault.CANCELLED)) {
            for (boolean committed : List.of(true, false)) {
                TestOperation<C> caller = caller().build();
                String value = fault + "-" + committed;
                doubt(committed);
                atResolution().fails(fault);

                assertThat(caller.call(attempt(value), value)).isEqualTo(new Outcome.Executed<>(key(value), value));

                assertThat(effects()).containsOnlyOnce(value);
                faulty.disarm();
            }
        }
    }

    private ArmedCall doubt(boolean committed) {
        ArmedCall commit = faulty.at(StoreCall.COMMIT);
        return committed ? commit.losesAnswer() : commit.fails(Fault.CONNECTION_LOST);
    }

    @Test
    void doubtThatCannotBeResolvedIsUnknownAndNeverAFailure() throws Exception {
        for (boolean committed : List.of(true, false)) {
            TestOperation<C> caller = caller().inDatabase(
                            operation -> operation.whenAbandoned(Operation.Abandoned.TAKE_OVER, Duration.ofNanos(1)))
                    .build();
            String value = "committed-" + committed;
            faulty.second(StoreCall.OPEN).always().fails(Fault.CONNECTION_LOST);
            doubt(committed);

            assertThatThrownBy(() -> caller.call(attempt(value), value))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasCauseInstanceOf(InjectedFault.class);

            assertThat(caller.runs()).isEqualTo(1);
            assertThat(read(key(value)).isPresent()).isEqualTo(committed || way.claimsFirst());
            faulty.disarm();
            Outcome<String> retry = caller.call(attempt(value), "retry");
            boolean keeps = committed || way == ProtocolVariant.CLAIM_FIRST_PLANNED;
            assertThat(retry.orElseThrow()).isEqualTo(keeps ? value : "retry");
            assertThat(effects()).containsOnlyOnce(keeps ? value : "retry");
        }
        assertThat(effects()).hasSize(2);
    }

    @Test
    void doubtThatIsNotAnsweredInTimeIsUnknown() {
        TestOperation<C> caller = caller().build();
        doubt(true);
        faulty.at(resolution());
        faulty.at(resolution()).always().fails(Fault.LOCK_TIMEOUT);

        assertThatThrownBy(() -> caller.call(attempt("k"), "result"))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasCauseInstanceOf(InjectedFault.class);

        assertThat(isSucceeded("k")).isTrue();
        assertThat(faulty.calls()).hasSizeLessThan(40);
    }

    @Test
    void commitThatWasRefusedForAPassingReasonIsRunAgain() throws Exception {
        for (Fault fault : List.of(Fault.CONFLICT, Fault.LOCK_TIMEOUT, Fault.CANCELLED)) {
            TestOperation<C> caller = caller().build();
            String value = fault.name();
            faulty.at(StoreCall.COMMIT).fails(fault);

            assertThat(caller.call(attempt(value), value)).isInstanceOf(Outcome.Executed.class);

            assertThat(caller.runs()).isEqualTo(2);
            assertThat(effects()).containsOnlyOnce(value);
            assertThat(events.take()).contains("retried").doesNotContain("commit unknown");
        }
    }

    @Test
    void commitThatWasRefusedForGoodHasFailed() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.COMMIT).fails(Fault.STATEMENT_REFUSED);

        Throwable thrown = catchThrowable(() -> caller.call(attempt("k"), "result"));

        assertThat(thrown).isInstanceOf(InjectedFault.class);
        assertThat(caller.runs()).isEqualTo(1);
        assertThat(effects()).isEmpty();
        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Rejected.class);
    }

    /** The longest wait starts at the commit whose reply is lost, however long the work before it took. */
    @Test
    void commitOfALongRunThatIsNotAnsweredIsResolved() throws Exception {
        for (boolean committed : List.of(true, false)) {
            TestOperation<C> caller = caller().build();
            String value = "committed-" + committed;
            doubt(committed);

            assertThat(caller.call(attempt(value), value, effects -> {
                        clock.advance(Duration.ofMinutes(10));
                        effects.write();
                    }))
                    .isEqualTo(new Outcome.Executed<>(key(value), value));

            assertThat(effects()).containsOnlyOnce(value);
        }
    }

    @Test
    void commitThatEndedInAnUnknownWayIsResolvedAsWell() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.COMMIT).after(() -> {
            throw new IllegalStateException("nobody knows this");
        });

        assertThat(caller.call(attempt("k"), "result")).isEqualTo(new Outcome.Executed<>(key("k"), "result"));

        assertThat(caller.runs()).isEqualTo(1);
        assertThat(effects()).containsExactly("result");
    }

    @Test
    void successIsNotReturnedBeforeItIsConfirmed() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.COMMIT)
                .after(() -> faulty.at(StoreCall.COMMIT).always().fails(Fault.CONNECTION_LOST))
                .losesAnswer();

        assertThatThrownBy(() -> caller.call(attempt("k"), "result")).isInstanceOf(OutcomeUnknownException.class);

        faulty.disarm();
        assertThat(effects()).containsExactly("result");
        assertThat(caller.call(attempt("k"), "another").orElseThrow()).isEqualTo("result");
    }
}
