package io.counterpoint.idempotency.testkit;

import static io.counterpoint.idempotency.testkit.FaultSweep.sweep;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every fault at every call that a batch makes to its store, one at a time. Each outcome is true, and batches on a
 * recovered store reach the same end.
 */
@Tag("large")
abstract class BatchSweepContract<C> extends BatchContractTest<C> {

    private final Operation.Protocol protocol;
    private final int mostFaults;
    private int batches;

    BatchSweepContract(OperationFixture<C> fixture, Operation.Protocol protocol) {
        super(fixture);
        this.protocol = protocol;
        this.mostFaults = fixture.faultsInOneCall();
    }

    private static final class Poison extends Exception {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void everyAttemptHasOneEffectAndOneAnswer() {
        sweep(1, falls -> survives(falls, false));
    }

    @Test
    void poisonHasNoEffectAndItsNeighbourOne() {
        sweep(1, falls -> survives(falls, true));
    }

    @Test
    @Tag("matrix")
    @Timeout(600)
    void severalFaultsOfOneBatchChangeNothingOfThat() {
        sweep(mostFaults, falls -> survives(falls, false));
        sweep(mostFaults, falls -> survives(falls, true));
    }

    /** Whether the batch reached the last fault. */
    private boolean survives(List<FaultSweep.Fall> falls, boolean poisoned) {
        String number = "-" + ++batches;
        List<String> names = List.of("b" + number, "a" + number);
        int before = faulty.calls().size();
        falls.forEach(fall -> fall.arm(faulty));

        List<BatchResult<String>> first = ask(names, poisoned);

        boolean reached =
                faulty.calls().size() - before >= falls.get(falls.size() - 1).call();
        faulty.disarm();
        List<BatchResult<String>> last = first;
        try {
            areTrue(first, names);
            for (int i = 0; i < 2; i++) {
                last = ask(names, poisoned);
                areTrue(last, names);
            }
            for (int place = 0; place < names.size(); place++) {
                assertThat(last.get(place).asOptional().orElseThrow())
                        .isInstanceOfAny(Outcome.Completed.class, Outcome.Rejected.class);
                agree(first.get(place), last.get(place).orElseThrow());
            }
        } catch (AssertionError wrong) {
            throw new AssertionError(falls + " gave " + summary(first) + " and then " + summary(last), wrong);
        }
        return reached;
    }

    private List<BatchResult<String>> ask(List<String> names, boolean poisoned) {
        Batch<C, String> batch = Batch.inOneTransaction(operation(options -> options.protocol(protocol)));
        return batch.executeAll(
                names.stream().map(OperationContractTest::attempt).toList(),
                writing(names, poisoned ? names.get(1) : null, new Poison()));
    }

    private void areTrue(List<BatchResult<String>> answers, List<String> names) {
        List<String> effects = effects();
        for (int place = 0; place < names.size(); place++) {
            String name = names.get(place);
            int count = Collections.frequency(effects, name);
            assertThat(count).as("effects of " + name).isLessThanOrEqualTo(1);
            answers.get(place)
                    .<Boolean>fold(outcome -> isTrue(outcome, name, count), thrown -> isTrue(thrown, name, count));
        }
    }

    private boolean isTrue(Outcome<String> outcome, String name, int effects) {
        return outcome.fold(
                completed -> {
                    assertThat(completed.result()).isEqualTo(name);
                    assertThat(effects).as("effects of a completed attempt").isEqualTo(1);
                    return assertThat(isSucceeded(name)).as("succeeded").isTrue() != null;
                },
                inProgress -> true,
                rejected -> failed(name, effects),
                keyReused -> {
                    throw new AssertionError("The key belongs to the same request");
                });
    }

    private boolean isTrue(Throwable thrown, String name, int effects) {
        if (thrown instanceof NotStartedException) {
            assertThat(effects).as("effects of an attempt that was not started").isZero();
            assertThat(read(key(name))).as("record of such an attempt").isEmpty();
            return true;
        }
        return thrown instanceof OutcomeUnknownException || failed(name, effects);
    }

    private boolean failed(String name, int effects) {
        assertThat(effects).as("effects of a failed attempt").isZero();
        assertThat(isFailed(name)).as("failed").isTrue();
        return true;
    }

    private static void agree(BatchResult<String> first, Outcome<String> last) {
        boolean completed = first.asOptional().flatMap(Outcome::asOptional).isPresent();
        boolean failed = first.<Boolean>fold(
                outcome -> outcome instanceof Outcome.Rejected,
                thrown -> !(thrown instanceof NotStartedException) && !(thrown instanceof OutcomeUnknownException));
        if (completed) {
            assertThat(last).isInstanceOf(Outcome.Completed.class);
        } else if (failed) {
            assertThat(last).isInstanceOf(Outcome.Rejected.class);
        }
    }
}
