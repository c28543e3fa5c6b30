package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A process resolves its own attempts that ended without a reply at the next call, regardless of the grace period. */
abstract class OwnAttemptContract<C> extends OperationContractTest<C> {

    OwnAttemptContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    private void endInDoubt(TestOperation<C> caller) {
        faulty.second(StoreCall.OPEN).always().fails(Fault.CONNECTION_LOST);
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
        assertThatThrownBy(() -> caller.call(attempt("k"), "result")).isInstanceOf(OutcomeUnknownException.class);
        faulty.disarm();
        assertThat(isPending("k")).isTrue();
        assertThat(effects()).isEmpty();
    }

    @Test
    void keyOfACallThatEndedInDoubtIsLedAgainAtOnce() throws Exception {
        TestOperation<C> caller = caller().build();
        endInDoubt(caller);

        Outcome<String> retry = caller.call(attempt("k"), "retry");

        assertThat(retry).isInstanceOf(Outcome.Executed.class);
        assertThat(effects()).containsExactly(way.planned ? "result" : "retry");
        assertThat(isSucceeded("k")).isTrue();
    }

    /** However many retries fail, because the record may still have the first one's token. */
    @Test
    void keyIsRememberedThroughRetriesThatAreNotAnswered() throws Exception {
        TestOperation<C> caller = caller().build();
        endInDoubt(caller);
        faulty.at(StoreCall.REPLACE_TOKEN).always().fails(Fault.CONNECTION_LOST);
        for (int retry = 1; retry <= 3; retry++) {
            assertThatThrownBy(() -> caller.call(attempt("k"), "never")).isInstanceOf(OutcomeUnknownException.class);
        }
        faulty.disarm();

        assertThat(caller.call(attempt("k"), "retry")).isInstanceOf(Outcome.Executed.class);

        assertThat(effects()).containsExactly(way.planned ? "result" : "retry");
    }

    @Test
    void keyWhoseTakeoverIsRefusedIsNotLed() throws Exception {
        TestOperation<C> caller = caller().build();
        endInDoubt(caller);
        faulty.at(StoreCall.REPLACE_TOKEN).changesNothing();
        faulty.second(StoreCall.LOCK).fails(Fault.LOCK_TIMEOUT);

        assertThat(caller.call(attempt("k"), "retry")).isInstanceOf(Outcome.InProgress.class);

        assertThat(effects()).isEmpty();
    }

    @Test
    void otherRequestUnderAKeyThatEndedInDoubtIsRefused() throws Exception {
        TestOperation<C> caller = caller().build();
        endInDoubt(caller);

        assertThat(caller.call(attempt("k", "another request"), "retry")).isInstanceOf(Outcome.KeyReused.class);

        assertThat(isPending("k")).isTrue();
    }

    @Test
    void anotherProcessDoesNotTakeAKeyThatEndedInDoubt() throws Exception {
        TestOperation<C> caller = caller().build();
        endInDoubt(caller);

        assertThat(anotherCaller().build().call(attempt("k"), "theirs")).isInstanceOf(Outcome.InProgress.class);
    }

    /** Its token is remembered when the call ends, not when it claims. */
    @Test
    void callThatSleepsBetweenTwoRunsKeepsItsKey() throws Exception {
        TestOperation<C> caller = caller().build();
        AtomicReference<Outcome<String>> others = new AtomicReference<>();
        faulty.at(StoreCall.COMMIT).fails(Fault.CONFLICT);
        faulty.at(StoreCall.REPLACE_TOKEN)
                .before(() -> others.set(AnotherThread.get(() -> caller.call(attempt("k"), "theirs"))));

        assertThat(caller.call(attempt("k"), "mine").orElseThrow()).isEqualTo("mine");

        assertThat(others.get()).isInstanceOf(Outcome.InProgress.class);
        assertThat(effects()).containsExactly("mine");
    }

    @Test
    void oneOfTwoCallsLeadsAKeyThatEndedInDoubt() throws Exception {
        TestOperation<C> caller = caller().build();
        endInDoubt(caller);
        AtomicReference<Outcome<String>> others = new AtomicReference<>();

        Outcome<String> outcome = caller.call(attempt("k"), "first", effects -> {
            others.set(AnotherThread.get(() -> caller.call(attempt("k"), "second")));
            effects.write();
        });

        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(others.get()).isInstanceOf(Outcome.InProgress.class);
        assertThat(effects()).containsExactly(way.planned ? "result" : "first");
    }

    /** A commit that this process knows to be in doubt may be gone after a failover, even if a read shows it. */
    @Test
    void successThatEndedInDoubtIsConfirmedByTheNextCall() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.second(StoreCall.OPEN).always().fails(Fault.CONNECTION_LOST);
        faulty.at(StoreCall.COMMIT).losesAnswer();
        assertThatThrownBy(() -> caller.call(attempt("k"), "result")).isInstanceOf(OutcomeUnknownException.class);
        faulty.disarm();

        assertThat(caller.call(attempt("k"), "retry").orElseThrow()).isEqualTo("result");

        assertThat(faulty.calls()).contains(StoreCall.CONFIRM);
        assertThat(effects()).containsExactly("result");
    }
}
