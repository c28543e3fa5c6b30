package io.counterpoint.idempotency.testkit;

import static io.counterpoint.idempotency.testkit.FaultSweep.sweep;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.RejectedException;
import io.counterpoint.idempotency.testkit.faults.InjectedFault;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every fault at every call that an operation makes to its store, one at a time. The caller's outcome or exception is
 * true, and retries on a recovered store reach the same end.
 */
@Tag("large")
abstract class SweepContract<C> extends OperationContractTest<C> {

    private final int depth;
    private int attempts;

    SweepContract(OperationFixture<C> fixture) {
        super(fixture);
        this.depth = fixture.faultsInOneCall();
    }

    private static final class DomainException extends IOException {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void workThatSucceedsHasOneEffectAndOneAnswer() {
        sweep(depth, falls -> survives(falls, TestOperation.Effects::write, true));
    }

    @Test
    void workThatThrowsHasNoEffectAndOneAnswer() {
        DomainException thrown = new DomainException();
        TestOperation.Work work = effects -> {
            if (!way.external()) {
                effects.write();
            }
            throw thrown;
        };
        sweep(depth, falls -> survives(falls, work, false));
    }

    /** Whether the call reached the last fault. */
    private boolean survives(List<FaultSweep.Fall> falls, TestOperation.Work work, boolean succeeds) {
        String value = "k" + ++attempts;
        TestOperation<C> caller = caller().inDatabase(operation -> way.recordsLast()
                        ? operation
                        : operation.whenAbandoned(Operation.Abandoned.FAIL, Duration.ofNanos(1)))
                .build();
        int before = faulty.calls().size();
        falls.forEach(fall -> fall.arm(faulty));

        Object first = ask(caller, value, work);

        boolean reached =
                faulty.calls().size() - before >= falls.get(falls.size() - 1).call();
        faulty.disarm();
        Object last = first;
        try {
            isTrue(first, value);
            for (int i = 0; i < 4; i++) {
                last = ask(caller, value, work);
                isTrue(last, value);
            }
            agree(first, last, succeeds);
        } catch (AssertionError wrong) {
            throw new AssertionError(falls + " gave " + first + " and then " + last, wrong);
        }
        return reached;
    }

    /** The outcome, or the exception that was thrown. */
    private Object ask(TestOperation<C> caller, String value, TestOperation.Work work) {
        try {
            return caller.call(attempt(value), value, work);
        } catch (Exception thrown) {
            return thrown;
        }
    }

    /** Requires that a caller's outcome or exception is true. */
    private void isTrue(Object returned, String value) {
        int count = Collections.frequency(effects(), value);
        assertThat(count).as("effects").isLessThanOrEqualTo(1);
        if (returned instanceof Outcome.Completed<?> completed) {
            assertThat(completed.result()).isEqualTo(value);
            assertThat(count).as("effects of a completed attempt").isEqualTo(1);
            assertThat(way.external() || isSucceeded(value)).as("succeeded").isTrue();
        } else if (returned instanceof Outcome.Rejected<?>) {
            assertThat(count).as("effects of a rejected attempt").isZero();
            assertThat(isFailed(value)).as("failed").isTrue();
        } else if (isFailure(returned)) {
            assertThat(count).as("effects of a failed attempt").isZero();
            assertThat(isFailed(value)).as("failed").isTrue();
        } else if (returned instanceof NotStartedException) {
            assertThat(count).as("effects of an attempt that was not started").isZero();
            assertThat(read(key(value)))
                    .as("record of an attempt that was not started")
                    .isEmpty();
        } else {
            assertThat(returned).isInstanceOfAny(OutcomeUnknownException.class, Outcome.InProgress.class);
        }
    }

    private static boolean isFailure(Object returned) {
        return returned instanceof DomainException
                || returned instanceof InjectedFault
                || returned instanceof RejectedException;
    }

    private void agree(Object first, Object last, boolean succeeds) {
        if (first instanceof Outcome.Completed<?>) {
            assertThat(last).isInstanceOf(Outcome.Completed.class);
        } else if (isFailure(first)) {
            assertThat(last).isInstanceOf(Outcome.Rejected.class);
        } else if (first instanceof NotStartedException) {
            assertThat(last)
                    .isInstanceOfAny(
                            succeeds
                                    ? Outcome.Completed.class
                                    : way.external() ? Outcome.InProgress.class : Outcome.Rejected.class);
        } else if (!way.external()) {
            assertThat(last).isInstanceOfAny(Outcome.Completed.class, Outcome.Rejected.class);
        }
    }
}
