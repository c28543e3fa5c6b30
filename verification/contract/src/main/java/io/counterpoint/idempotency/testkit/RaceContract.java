package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many concurrent callers: one effect per key, and the same response for all callers. */
@Tag("large")
abstract class RaceContract<C> extends OperationContractTest<C> {

    private static final int CALLERS = 32;
    private static final int MORE_CALLERS = 64;
    private static final int KEYS = 20;
    private static final int RETRIES = 50;

    RaceContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    /**
     * Uses real time, because these callers wait for each other. Under strict isolation they also abort each other's
     * commits.
     */
    private TestOperation<C> racer() {
        return new TestOperation.Builder<>(way, Idempotency.builder(store).listener(events), domain, remote)
                .inDatabase(operation -> operation.waitAtMost(LONG).maxRetries(RETRIES))
                .outside(operation -> operation.waitAtMost(LONG))
                .build();
    }

    @Test
    void manyCallersOfOneKeyHaveOneEffectAndOneAnswer() {
        TestOperation<C> caller = racer();

        List<Outcome<String>> outcomes = ConcurrentCallers.of(CALLERS, i -> () -> caller.call(attempt("k"), "of-" + i));

        agree(outcomes, caller);
    }

    @Test
    void manyCallersOnVirtualThreadsHaveOneEffectAndOneAnswer() {
        TestOperation<C> caller = racer();

        List<Outcome<String>> outcomes =
                ConcurrentCallers.ofVirtual(CALLERS, i -> () -> caller.call(attempt("k"), "of-" + i));

        agree(outcomes, caller);
    }

    private void agree(List<Outcome<String>> outcomes, TestOperation<C> caller) {
        assertThat(effects()).hasSize(1);
        String effect = effects().get(0);
        assertThat(outcomes)
                .allSatisfy(outcome -> assertThat(outcome.orElseThrow()).isEqualTo(effect));
        assertThat(outcomes)
                .filteredOn(outcome -> outcome instanceof Outcome.Executed)
                .hasSize(1);
        ranOnceForEach(1, caller);
        assertThat(isSucceeded("k")).isTrue();
    }

    @Test
    void manyCallersOfManyKeysHaveOneEffectAndOneAnswerForEach() {
        TestOperation<C> caller = racer();

        List<Map<String, String>> answers = ConcurrentCallers.of(MORE_CALLERS, i -> () -> {
            Map<String, String> answer = new HashMap<>();
            for (int k : shuffled(i)) {
                String value = "k" + k;
                answer.put(
                        value, caller.call(attempt(value), value + "-of-" + i).orElseThrow());
            }
            return answer;
        });

        assertThat(new HashSet<>(answers)).hasSize(1);
        assertThat(effects()).containsExactlyInAnyOrderElementsOf(answers.get(0).values());
        ranOnceForEach(KEYS, caller);
    }

    /** Only what the store rolled back for a transient reason, such as a serialization failure, has run again. */
    private void ranOnceForEach(int keys, TestOperation<C> caller) {
        // Without a claim, several callers run the work of a key, unless the store makes them wait.
        if (!way.recordsLast()) {
            assertThat(caller.runs()).isBetween(keys, keys + events.reruns());
        }
    }

    private static List<Integer> shuffled(int seed) {
        List<Integer> keys = new ArrayList<>(IntStream.range(0, KEYS).boxed().toList());
        Collections.shuffle(keys, new Random(seed));
        return keys;
    }

    @Test
    void manyCallersOfAnAttemptThatFailsHaveNoEffect() {
        // Nobody waits for attempts that are never resolved.
        TestOperation<C> caller = way.external() ? anotherCaller().build() : racer();

        List<Object> answers = ConcurrentCallers.of(CALLERS, i -> () -> {
            try {
                return caller.call(attempt("k"), "of-" + i, effects -> {
                    if (!way.external()) {
                        effects.write();
                    }
                    throw new IOException("domain");
                });
            } catch (IOException | OutcomeUnknownException thrown) {
                return thrown;
            }
        });

        assertThat(effects()).isEmpty();
        assertThat(answers)
                .allMatch(answer -> answer instanceof Exception
                        || answer instanceof Outcome.Rejected<?>
                        || answer instanceof Outcome.InProgress<?>);
        // A caller that ran the work learns what it threw, even if only along with another caller's response.
        assertThat(answers)
                .filteredOn(answer -> !(answer instanceof Outcome<?> outcome)
                        || outcome.suppressedFailure().isPresent())
                .hasSizeBetween(caller.runs() - events.reruns(), caller.runs());
        assertThat(isFailed("k")).isEqualTo(!way.external());
    }
}
