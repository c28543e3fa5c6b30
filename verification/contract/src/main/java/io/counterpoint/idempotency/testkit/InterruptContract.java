package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Interrupts of the calling thread: the work sees them, and they are still set after the call. */
abstract class InterruptContract<C> extends OperationContractTest<C> {

    InterruptContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Test
    void interruptReachesTheWorkAndOutlivesTheCall() throws Exception {
        TestOperation<C> caller = caller().build();
        List<Boolean> seen = new ArrayList<>();

        Outcome<String> outcome = AnotherThread.get(() -> {
            Thread.currentThread().interrupt();
            Outcome<String> answer = caller.call(attempt("k"), "result", effects -> {
                seen.add(Thread.interrupted());
                effects.write();
                Thread.currentThread().interrupt();
            });
            seen.add(Thread.currentThread().isInterrupted());
            return answer;
        });

        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(seen).containsExactly(true, true);
        assertThat(isSucceeded("k")).isTrue();
        assertThat(effects()).containsExactly("result");
    }

    @Test
    void interruptThatTheWorkHasTakenIsGone() throws Exception {
        TestOperation<C> caller = caller().build();

        boolean interrupted = AnotherThread.get(() -> {
            Thread.currentThread().interrupt();
            assertThat(caller.call(
                            attempt("k"),
                            "result",
                            effects -> assertThat(Thread.interrupted()).isTrue()))
                    .isInstanceOf(Outcome.Executed.class);
            return Thread.currentThread().isInterrupted();
        });

        assertThat(interrupted).isFalse();
    }

    @Test
    void interruptedFollowerIsAnsweredAndStaysInterrupted() throws Exception {
        TestOperation<C> caller = caller().build();
        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);

        Outcome<String> outcome = AnotherThread.get(() -> {
            Thread.currentThread().interrupt();
            Outcome<String> answer = caller.call(attempt("k"), "another");
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            return answer;
        });

        assertThat(outcome.orElseThrow()).isEqualTo("result");
    }

    @Test
    void workSeesTheInterruptOfItsCallerAndNoOther() {
        TestOperation<C> caller = caller().build();
        List<Boolean> seen = new ArrayList<>();
        TestOperation.Work work = effects -> seen.add(Thread.currentThread().isInterrupted());

        boolean left = AnotherThread.get(() -> {
            assertThat(caller.call(attempt("undisturbed"), "result", work)).isInstanceOf(Outcome.Executed.class);
            Thread.currentThread().interrupt();
            assertThat(caller.call(attempt("interrupted"), "result", work)).isInstanceOf(Outcome.Executed.class);
            return Thread.interrupted();
        });

        assertThat(seen).containsExactly(false, true);
        assertThat(left).isTrue();
    }
}
