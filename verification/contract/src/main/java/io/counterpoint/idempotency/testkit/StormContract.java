package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Concurrent callers that all consider each other dead. */
abstract class StormContract<C> extends OperationContractTest<C> {

    private static final int CALLERS = 16;
    private static final int ROUNDS = 2000;

    StormContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Test
    void callersWhoTakeEachOtherOverHaveOneEffectAndOneAnswer() {
        TestOperation<C> caller = new TestOperation.Builder<>(way, Idempotency.builder(store), domain, remote)
                .inDatabase(operation -> operation.whenAbandoned(Operation.Abandoned.TAKE_OVER, Duration.ofNanos(1)))
                .build();

        List<String> answers = ConcurrentCallers.of(CALLERS, i -> () -> {
            for (int round = 0; round < ROUNDS; round++) {
                Outcome<String> outcome = caller.call(attempt("k"), "of-" + i);
                if (outcome.asOptional().isPresent()) {
                    return outcome.orElseThrow();
                }
            }
            return "never returned";
        });

        assertThat(effects()).hasSize(1);
        assertThat(answers).containsOnly(effects().get(0));
        assertThat(isSucceeded("k")).isTrue();
    }
}
