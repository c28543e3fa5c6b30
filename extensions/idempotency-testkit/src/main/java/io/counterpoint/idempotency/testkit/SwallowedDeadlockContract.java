package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.LockScope;
import io.counterpoint.idempotency.spi.RecordSteps;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * Last steps after a deadlock that the work has swallowed. Some databases roll back the transaction and silently begin
 * another one. A last step that does not notice this would commit a record without the effect that preceded it.
 */
abstract class SwallowedDeadlockContract<C> extends ContractTest<C> {

    private static final int SECONDS = 20;

    private final CyclicBarrier bothHaveOne = new CyclicBarrier(2);
    private final AtomicInteger shared = new AtomicInteger();
    private final AtomicInteger swallowed = new AtomicInteger();

    SwallowedDeadlockContract(Fixture<C> fixture) {
        super(fixture);
    }

    @Test
    void successIsMarkedOnlyInTheTransactionOfItsClaim() {
        Pending one = claimedHere("one");
        Pending other = claimedHere("other");
        requireAllOrNothing(
                (steps, value) -> assertThat(claim(steps, value.equals("one") ? one : other))
                        .isEmpty(),
                value -> new LastStep.Succeed(
                        key(value), (value.equals("one") ? one : other).token(), Optional.of(bytes("done"))));
    }

    private static Pending claimedHere(String value) {
        return pending(key(value), Protocol.SINGLE_TRANSACTION, Optional.empty());
    }

    @Test
    void transactionThatHasEndedIsNotTheOneThatIsRequired() {
        requireAllOrNothing(
                (steps, value) -> assertThat(claim(steps, succeeded(value))).isEmpty(),
                value -> new LastStep.RequireNotEnded(key(value)));
    }

    @Test
    void recordIsInsertedLastOnlyIntoTheTransactionThatWasBegun() {
        requireAllOrNothing(
                (steps, value) -> steps.beginUnclaimed(key(value)),
                value -> new LastStep.Insert(succeeded(value), DAY, LONG));
    }

    @Test
    void recordsAreInsertedLastOnlyIntoTheTransactionThatWasBegun() {
        requireAllOrNothing(
                (steps, value) -> steps.beginUnclaimed(key(value)),
                value -> new LastStep.InsertAll(List.of(succeeded(value), succeeded(value + " too")), DAY, LONG));
    }

    private void requireAllOrNothing(BiConsumer<RecordSteps, String> first, Function<String, LastStep> last) {
        Future<Boolean> begun = AnotherThread.begin(() -> isCommitted(first, "other", "right", "left", last));
        boolean one = isCommitted(first, "one", "left", "right", last);
        boolean other = AnotherThread.end(begun);

        if (store.lockScope() != LockScope.NODE) {
            assertThat(swallowed.get() > 0).as("a deadlock was met").isEqualTo(shared.get() > 0);
        }
        requireAllOrNothing("one", one);
        requireAllOrNothing("other", other);
    }

    private void requireAllOrNothing(String value, boolean committed) {
        assertThat(domain.committed().contains(value))
                .as("the effect of " + value)
                .isEqualTo(committed);
        assertThat(read(key(value)).isPresent()).as("the record of " + value).isEqualTo(committed);
    }

    private boolean isCommitted(
            BiConsumer<RecordSteps, String> first,
            String value,
            String mine,
            String theirs,
            Function<String, LastStep> last) {
        try {
            LastStep.Result result = inTransaction((steps, scope) -> {
                first.accept(steps, value);
                C handle = scope.handle();
                domain.write(handle, value);
                if (domain.changeShared(handle, mine)) {
                    shared.incrementAndGet();
                }
                waitForTheOther();
                changeAndSwallow(handle, theirs);
                return steps.commitWith(last.apply(value));
            });
            return result == LastStep.Result.DONE;
        } catch (RuntimeException refused) {
            return false;
        }
    }

    private void waitForTheOther() {
        try {
            bothHaveOne.await(SECONDS, TimeUnit.SECONDS);
        } catch (Exception thrown) {
            throw new AssertionError("The other transaction did not come", thrown);
        }
    }

    private void changeAndSwallow(C handle, String name) {
        try {
            domain.changeShared(handle, name);
        } catch (RuntimeException deadlock) {
            swallowed.incrementAndGet();
        }
    }
}
