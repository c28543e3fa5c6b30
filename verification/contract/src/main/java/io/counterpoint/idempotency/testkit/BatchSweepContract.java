package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.ArmedCall;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every fault at every call that a batch makes to its store, one at a time. Each answer is true, and batches over a store
 * that is well again come to the same end.
 */
@Tag("large")
abstract class BatchSweepContract<C> extends BatchContractTest<C> {

    private static final List<Consumer<ArmedCall>> TROUBLES = List.of(
            ArmedCall::losesAnswer,
            call -> call.fails(Fault.CONNECTION_LOST),
            call -> call.fails(Fault.CONFLICT),
            call -> call.fails(Fault.LOCK_TIMEOUT),
            call -> call.fails(Fault.CANCELLED),
            call -> call.fails(Fault.STATEMENT_REFUSED));

    private final Operation.Protocol protocol;
    private final int mostFaults;
    private int batches;

    BatchSweepContract(OperationFixture<C> fixture, Operation.Protocol protocol) {
        super(fixture);
        this.protocol = protocol;
        this.mostFaults = fixture.faultsInOneCall();
    }

    private record Fall(int call, int trouble) {}

    private static final class Poison extends Exception {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void everyAttemptHasOneEffectAndOneAnswer() {
        sweep(1, 0, List.of(), false);
    }

    @Test
    void poisonHasNoEffectAndItsNeighbourOne() {
        sweep(1, 0, List.of(), true);
    }

    @Test
    @Tag("matrix")
    @Timeout(600)
    void severalFaultsOfOneBatchChangeNothingOfThat() {
        sweep(mostFaults, 0, List.of(), false);
        sweep(mostFaults, 0, List.of(), true);
    }

    /** Adds one more trouble to those there are, at each later call, as long as there is such a call. */
    private void sweep(int depth, int after, List<Fall> falls, boolean poisoned) {
        if (falls.size() == depth) {
            return;
        }
        for (int trouble = 0; trouble < TROUBLES.size(); trouble++) {
            boolean reached = true;
            for (int call = after + 1; reached; call++) {
                List<Fall> all = new ArrayList<>(falls);
                all.add(new Fall(call, trouble));
                reached = survives(all, poisoned);
                if (reached) {
                    sweep(depth, call, all, poisoned);
                }
            }
        }
    }

    /** Whether the batch got as far as the last trouble. */
    private boolean survives(List<Fall> falls, boolean poisoned) {
        String number = "-" + ++batches;
        List<String> names = List.of("b" + number, "a" + number);
        int before = faulty.calls().size();
        falls.forEach(fall -> TROUBLES.get(fall.trouble()).accept(faulty.atCall(fall.call())));

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
