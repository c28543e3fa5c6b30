package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.ArmedCall;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import org.junit.jupiter.api.Test;

/**
 * After a commit whose reply is lost, the caller's outcome is based on a write that the caller made afterwards, because
 * a promoted standby may lack what a read has shown.
 */
abstract class DoubtContract<C> extends OperationContractTest<C> {

    DoubtContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    private TestOperation<C> failing() {
        return caller().outside(operation -> operation.noEffectWhen(IllegalArgumentException.class::isInstance))
                .build();
    }

    private Throwable thrownBy(TestOperation<C> caller, RuntimeException refusal) {
        return catchThrowable(() -> caller.call(attempt("k"), "result", effects -> {
            throw refusal;
        }));
    }

    /** The step that writes a failure: if a claim was rolled back, it is made again, as {@code Failed}. */
    private ArmedCall atFailure() {
        if (way.claimsFirst()) {
            return faulty.at(StoreCall.FAIL);
        }
        faulty.at(StoreCall.CLAIM);
        return faulty.at(StoreCall.CLAIM);
    }

    @Test
    void failureIsNotReturnedBeforeItIsConfirmed() {
        TestOperation<C> caller = failing();
        IllegalArgumentException refusal = new IllegalArgumentException("refused");
        thenNoCommitIsAnswered(atFailure().losesAnswer());

        assertThat(thrownBy(caller, refusal))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasCause(refusal);

        assertThat(isFailed("k")).isTrue();
        assertThat(effects()).isEmpty();
    }

    @Test
    void failureIsReturnedOnceItIsConfirmed() {
        TestOperation<C> caller = failing();
        IllegalArgumentException refusal = new IllegalArgumentException("refused");
        atFailure().losesAnswer();

        assertThat(thrownBy(caller, refusal)).isSameAs(refusal);

        assertThat(isFailed("k")).isTrue();
        assertThat(faulty.calls()).endsWith(StoreCall.COMMIT);
    }

    /** Steps that run alone get a reply; transactions with a body do not. */
    final void thenNoCommitIsAnswered(ArmedCall point) {
        point.after(() -> faulty.at(StoreCall.COMMIT).always().fails(Fault.CONNECTION_LOST));
    }
}
