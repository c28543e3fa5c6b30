package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.internal.Rethrow;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.InjectedFault;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** External effects that throw: an exception proves nothing, and past effects never run again. */
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
                new InjectedFault(Fault.CONFLICT),
                new InjectedFault(Fault.STATEMENT_REFUSED))) {
            TestOperation<C> caller = caller().build();
            String value = "k-" + thrown.hashCode();

            Throwable caught = catchThrowable(() -> caller.call(attempt(value), "result", effects -> raise(thrown)));

            assertLeaves(thrown, caught);
            assertThat(isPending(value)).isTrue();
            assertThat(events.take()).containsExactly("claimed", "commit unknown");
            assertThat(caller.call(attempt(value), "result")).isInstanceOf(Outcome.InProgress.class);
            assertThat(caller.runs()).isEqualTo(1);
            assertThat(events.take()).containsExactly("in progress");
        }
        assertThat(effects()).isEmpty();
    }

    @Test
    void effectOfWorkThatFailsAfterItIsHealed() throws Exception {
        TestOperation<C> caller = caller().build();

        assertThatThrownBy(() -> caller.call(attempt("k"), "result", effects -> {
                    effects.write();
                    throw new IOException("timeout");
                }))
                .isInstanceOf(OutcomeUnknownException.class);
        events.take();

        assertThat(caller.call(attempt("k"), "another")).isEqualTo(new Outcome.Healed<>(key("k"), "result"));
        assertThat(caller.call(attempt("k"), "another")).isEqualTo(new Outcome.Replayed<>(key("k"), "result"));
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
                .isEqualTo(new Outcome.Rejected<>(key("k"), new Failure("refused", "")));
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
                        throw Rethrow.unchanged(undecided);
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
                        operation -> operation.releaseWhenNoEffect(thrown -> thrown instanceof IOException))
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
    void noEffectThatCannotBeRecordedIsNotReturnedAsAFailure() {
        TestOperation<C> caller = caller().outside(operation -> operation.noEffectWhen(thrown -> true))
                .build();
        faulty.at(StoreCall.FAIL).always().fails(Fault.CONNECTION_LOST);
        IOException thrown = new IOException("refused");

        assertThatThrownBy(() -> caller.call(attempt("k"), "result", effects -> {
                    throw thrown;
                }))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasCause(thrown);

        assertThat(isPending("k")).isTrue();
    }

    /** A claim that only a read has shown may be gone after a failover, and another caller would lead. */
    @Test
    void effectDoesNotBeginBeforeItsClaimIsConfirmed() {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.CLAIM)
                .after(() -> faulty.at(StoreCall.COMMIT).always().fails(Fault.CONNECTION_LOST))
                .losesAnswer();

        assertThatThrownBy(() -> caller.call(attempt("k"), "result")).isInstanceOf(OutcomeUnknownException.class);

        assertThat(caller.runs()).isZero();
        assertThat(effects()).isEmpty();
    }
}
