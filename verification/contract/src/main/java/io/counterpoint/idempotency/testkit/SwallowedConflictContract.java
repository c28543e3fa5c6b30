package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.spi.LockScope;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Work that swallows a conflict. Some databases have then rolled back and silently begun another transaction, so the
 * commit that follows would succeed without the effect that came before.
 */
abstract class SwallowedConflictContract<C> extends OperationContractTest<C> {

    private static final int SECONDS = 60;

    private final CyclicBarrier bothHaveOne = new CyclicBarrier(2);
    private final AtomicInteger shared = new AtomicInteger();
    private final AtomicInteger swallowed = new AtomicInteger();

    SwallowedConflictContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Test
    void workThatSwallowsADeadlockNeverSucceedsWithoutItsEffect() {
        Future<Optional<Outcome<String>>> begun = AnotherThread.begin(() -> call("b", "right", "left"));
        Optional<Outcome<String>> one = call("a", "left", "right");
        Optional<Outcome<String>> other = AnotherThread.end(begun);

        if (store.lockScope() != LockScope.NODE) {
            assertThat(swallowed.get() > 0).as("a deadlock was met").isEqualTo(shared.get() > 0);
        }
        requireEffectOf("a", one);
        requireEffectOf("b", other);
    }

    /** The outcome, if there is one. */
    private Optional<Outcome<String>> call(String value, String first, String second) {
        TestOperation<C> caller = caller().build();
        try {
            return Optional.of(caller.call(attempt(value), value, effects -> {
                effects.write();
                if (effects.changeShared(first)) {
                    shared.incrementAndGet();
                }
                if (caller.runs() == 1) {
                    bothHaveOne.await(SECONDS, TimeUnit.SECONDS);
                    changeAndSwallow(effects, second);
                }
            }));
        } catch (Exception refused) {
            return Optional.empty();
        }
    }

    private void changeAndSwallow(TestOperation.Effects effects, String second) {
        try {
            effects.changeShared(second);
        } catch (RuntimeException conflict) {
            swallowed.incrementAndGet();
        }
    }

    private void requireEffectOf(String value, Optional<Outcome<String>> answer) {
        boolean told = answer.isPresent() && answer.get().asOptional().isPresent();
        if (told) {
            assertThat(effects()).containsOnlyOnce(value);
        }
        boolean recorded = read(key(value)).isPresent() && isSucceeded(value);
        assertThat(recorded).as("the record of " + value).isEqualTo(effects().contains(value));
    }
}
