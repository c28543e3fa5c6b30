package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import org.junit.jupiter.api.Test;

/** What can happen to a claim that is committed before the work begins, until its reply arrives. */
abstract class SeparateClaimContract<C> extends OperationContractTest<C> {

    SeparateClaimContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Test
    void callerThatIsCutOffAfterAnUnansweredClaimDoesNotKnow() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.CLAIM)
                .after(() -> faulty.at(StoreCall.OPEN).always().fails(Fault.CONNECTION_LOST))
                .losesAnswer();

        assertThatThrownBy(() -> caller.call(attempt("k"), "k")).isInstanceOf(OutcomeUnknownException.class);

        assertThat(isPending("k")).isTrue();
        assertThat(caller.runs()).isZero();
    }

    @Test
    void callerWhoseUnansweredClaimWasTakenFromItFollows() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.CLAIM)
                .after(() -> AnotherThread.run(() -> takeOverAndSucceed(key("k"), "theirs")))
                .losesAnswer();

        assertThat(caller.call(attempt("k"), "mine").orElseThrow()).isEqualTo("theirs");

        assertThat(caller.runs()).isZero();
        assertThat(effects()).isEmpty();
    }

    @Test
    void callerThatIsCutOffForAMomentAfterAnUnansweredClaimLeadsOnce() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.CLAIM)
                .after(() -> faulty.at(StoreCall.OPEN).fails(Fault.CONNECTION_LOST))
                .losesAnswer();

        assertThat(caller.call(attempt("k"), "k")).isEqualTo(new Outcome.Executed<>(key("k"), "k"));

        assertThat(caller.runs()).isEqualTo(1);
        assertThat(isSucceeded("k")).isTrue();
    }

    @Test
    void releaseIsNotReturnedBeforeItIsConfirmed() {
        IllegalArgumentException refusal = new IllegalArgumentException("refused");
        faulty.at(StoreCall.RELEASE)
                .after(() -> faulty.at(StoreCall.COMMIT).always().fails(Fault.CONNECTION_LOST))
                .losesAnswer();

        assertThatThrownBy(() -> failOnce(refusal))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasCause(refusal);

        assertThat(read(key("k"))).isEmpty();
        assertThat(effects()).isEmpty();
    }

    @Test
    void releaseIsReturnedOnceItIsConfirmed() {
        IllegalArgumentException refusal = new IllegalArgumentException("refused");
        faulty.at(StoreCall.RELEASE).losesAnswer();

        assertThatThrownBy(() -> failOnce(refusal)).isSameAs(refusal);

        requireReleasedAfterALostAnswer("k");
        assertThat(faulty.calls()).endsWith(StoreCall.COMMIT);
    }

    private void failOnce(RuntimeException refusal) throws Exception {
        Outcome<String> unused = caller().inDatabase(
                        operation -> operation.releaseOn(IllegalArgumentException.class::isInstance))
                .outside(operation -> operation.releaseWhenNoEffect(IllegalArgumentException.class::isInstance))
                .build()
                .call(attempt("k"), "k", effects -> {
                    throw refusal;
                });
    }
}
