package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.ArmedCall;
import io.counterpoint.idempotency.testkit.faults.InjectedFault;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The step that writes a failure. The caller gets the failure only if it is durable and its own. */
abstract class FailureMarkContract<C> extends OperationContractTest<C> {

    FailureMarkContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    /** The step that writes a failure. */
    private StoreCall failMark() {
        return way.claimsFirst() ? StoreCall.FAIL : StoreCall.CLAIM;
    }

    /** Arms that step. If it is a claim, it is the one after the leader's own. */
    private ArmedCall atFailMark() {
        if (!way.claimsFirst()) {
            faulty.at(StoreCall.CLAIM);
        }
        return faulty.at(failMark());
    }

    @Test
    void failureWithALostAnswerIsThrownOnceItIsDurable() {
        TestOperation<C> caller = caller().build();
        atFailMark().losesAnswer();
        IOException thrown = new IOException("domain");

        assertThat(thrownBy(caller, "k", thrown)).isSameAs(thrown);

        assertThat(isFailed("k")).isTrue();
        assertThat(events.take()).containsExactly("claimed", "failed IOException");
    }

    @Test
    void failureIsWrittenAgainWhenItWasNotDone() {
        for (Fault fault : List.of(Fault.CONNECTION_LOST, Fault.CONFLICT, Fault.LOCK_TIMEOUT, Fault.CANCELLED)) {
            TestOperation<C> caller = caller().build();
            atFailMark().fails(fault);
            IOException thrown = new IOException("domain");

            assertThat(thrownBy(caller, fault.name(), thrown)).isSameAs(thrown);

            assertThat(isFailed(fault.name())).isTrue();
            assertThat(caller.runs()).isEqualTo(1);
        }
    }

    @Test
    void failureThatCannotBeWrittenIsNotThrown() throws Exception {
        for (Fault fault :
                List.of(Fault.CONNECTION_LOST, Fault.CONFLICT, Fault.STATEMENT_REFUSED, Fault.UNRECOGNISED)) {
            TestOperation<C> caller = caller().build();
            atFailMark().always().fails(fault);
            IOException thrown = new IOException("domain");

            Throwable caught = thrownBy(caller, fault.name(), thrown);

            assertThat(caught).isInstanceOf(OutcomeUnknownException.class);
            assertThat(caught.getCause()).isSameAs(thrown);
            assertThat(thrown.getSuppressed()).hasAtLeastOneElementOfType(InjectedFault.class);
            assertThat(read(key(fault.name())).isPresent()).isEqualTo(way.claimsFirst());
            assertThat(events.take()).containsExactly("claimed");
            faulty.disarm();
        }
        assertThat(effects()).isEmpty();
    }

    /** However long the work took, the longest wait starts at the step whose reply is lost. */
    @Test
    void failureOfALongRunIsAttachedToAnothersAnswer() throws Exception {
        TestOperation<C> caller = caller().build();
        IOException thrown = new IOException("domain");

        Outcome<String> outcome = caller.call(attempt("k"), "mine", effects -> {
            clock.advance(Duration.ofMinutes(10));
            faulty.at(failMark())
                    .before(() -> AnotherThread.run(() -> {
                        if (way.claimsFirst()) {
                            takeOverAndSucceed(key("k"), "theirs");
                        } else {
                            assertThat(anotherCaller().build().call(attempt("k"), "theirs"))
                                    .isInstanceOf(Outcome.Executed.class);
                        }
                    }));
            throw thrown;
        });

        assertThat(outcome).isEqualTo(new Outcome.Replayed<>(key("k"), "theirs"));
        assertThat(outcome.suppressedFailure()).containsSame(thrown);
    }

    @Test
    void failureOfALeaderIsAttachedToAnothersAnswer() throws Exception {
        TestOperation<C> caller = caller().build();
        atFailMark()
                .before(() -> AnotherThread.run(() -> {
                    if (way.claimsFirst()) {
                        takeOverAndSucceed(key("k"), "theirs");
                    } else {
                        assertThat(anotherCaller().build().call(attempt("k"), "theirs"))
                                .isInstanceOf(Outcome.Executed.class);
                    }
                }));
        IOException thrown = new IOException("domain");

        Outcome<String> outcome = caller.call(attempt("k"), "mine", effects -> {
            effects.write();
            throw thrown;
        });

        assertThat(outcome).isEqualTo(new Outcome.Replayed<>(key("k"), "theirs"));
        assertThat(outcome.suppressedFailure()).containsSame(thrown);
        assertThat(effects()).doesNotContain("mine");
        assertThat(caller.runs()).isEqualTo(1);
    }

    private ArmedCall atLockOfTheNextTry() {
        if (way.claimsFirst()) {
            faulty.at(StoreCall.LOCK);
        }
        return faulty.at(StoreCall.LOCK);
    }

    @Test
    void failureOfAKeyThatAnotherLedMeanwhileIsNotThrown() throws Exception {
        TestOperation<C> caller = caller().build();
        TestOperation<C> another = anotherCaller().build();
        IOException thrown = new IOException("domain");
        atFailMark().fails(Fault.CONNECTION_LOST);
        atLockOfTheNextTry()
                .before(() -> AnotherThread.run(() -> {
                    if (way.claimsFirst()) {
                        takeOverAndSucceed(key("k"), "theirs");
                    } else {
                        assertThat(another.call(attempt("k"), "theirs")).isInstanceOf(Outcome.Executed.class);
                    }
                }));

        Outcome<String> outcome = caller.call(attempt("k"), "mine", effects -> {
            throw thrown;
        });

        assertThat(outcome).isEqualTo(new Outcome.Replayed<>(key("k"), "theirs"));
        assertThat(outcome.suppressedFailure()).containsSame(thrown);
        assertThat(events.take()).doesNotContain("failed IOException");
    }
}
