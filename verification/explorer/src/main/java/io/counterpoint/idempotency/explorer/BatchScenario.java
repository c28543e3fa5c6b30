package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Callers with one batch each, whose keys overlap.
 *
 * @param name how the figures call it
 * @param together whether a batch is one transaction, or each attempt has its own
 * @param batches the keys of each caller, in the order of its call
 * @param poison keys whose work throws
 * @param faults crashes of callers, lost and late messages, conflicts and timeouts of lock waits together, at most
 * @param above put between the engine and the explorer, by the number of the caller
 * @param answers what is made of the answer of a batch
 * @param withResults whether the operation has a result, which is not known before its work
 * @param overNodes whether a caller goes on at another node when its connection is lost, and no lock keeps out what is on
 *     its way; poison then throws from its second run on, and is released
 */
record BatchScenario(
        String name,
        boolean together,
        List<List<String>> batches,
        Set<String> poison,
        int faults,
        BiFunction<Integer, IdempotencyStore<BatchServer.Open>, IdempotencyStore<BatchServer.Open>> above,
        UnaryOperator<List<? extends BatchResult<?>>> answers,
        boolean withResults,
        boolean overNodes)
        implements Play<BatchCaller> {

    @Override
    public int actors() {
        return batches.size();
    }

    @Override
    public BatchCaller actor(int index) {
        return new BatchCaller(index);
    }

    @Override
    public Schedule schedule(Choices choices, List<BatchCaller> actors, @Nullable List<String> words) {
        return new BatchSchedule(this, choices, actors, words);
    }

    static BatchScenario of(String name, boolean together, int faults, List<List<String>> batches, String... poison) {
        return new BatchScenario(
                name,
                together,
                batches,
                Set.of(poison),
                faults,
                (caller, store) -> store,
                UnaryOperator.identity(),
                true,
                false);
    }

    BatchScenario above(
            BiFunction<Integer, IdempotencyStore<BatchServer.Open>, IdempotencyStore<BatchServer.Open>> mutation) {
        return new BatchScenario(name, together, batches, poison, faults, mutation, answers, withResults, overNodes);
    }

    BatchScenario answering(UnaryOperator<List<? extends BatchResult<?>>> mutation) {
        return new BatchScenario(name, together, batches, poison, faults, above, mutation, withResults, overNodes);
    }

    BatchScenario withoutResults() {
        return new BatchScenario(name, together, batches, poison, faults, above, answers, false, overNodes);
    }

    BatchScenario onSeveralNodes() {
        return new BatchScenario(name, together, batches, poison, faults, above, answers, withResults, true);
    }
}
