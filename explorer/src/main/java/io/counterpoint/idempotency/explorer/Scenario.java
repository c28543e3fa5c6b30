package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * What is explored: how the callers' operations are set up, how much happens, and, for mutants, what is wrong.
 *
 * @param name how the figures call it
 * @param configurations of the callers; the last one counts for all further callers
 * @param bounds how much happens
 * @param above put between the engine and the explorer, anew for every call
 * @param beneath put between the explorer and the store
 * @param asynchronousMarks whether only claims survive a crash that must, and nothing else does by itself
 * @param replicated whether a commit waits for a standby: the wait can break, and then the commit is there but lost when the
 *     standby is promoted, which is what a restart means here
 */
record Scenario(
        String name,
        List<Configuration> configurations,
        Bounds bounds,
        UnaryOperator<IdempotencyStore<Transaction>> above,
        UnaryOperator<IdempotencyStore<Transaction>> beneath,
        boolean asynchronousMarks,
        boolean replicated) {

    static Scenario of(String name, Bounds bounds, Configuration... configurations) {
        return new Scenario(
                name,
                List.of(configurations),
                bounds,
                UnaryOperator.identity(),
                UnaryOperator.identity(),
                false,
                false);
    }

    Scenario above(UnaryOperator<IdempotencyStore<Transaction>> mutation) {
        return new Scenario(name, configurations, bounds, mutation, beneath, asynchronousMarks, replicated);
    }

    Scenario beneath(UnaryOperator<IdempotencyStore<Transaction>> mutation) {
        return new Scenario(name, configurations, bounds, above, mutation, asynchronousMarks, replicated);
    }

    Scenario withAsynchronousMarks() {
        return new Scenario(name, configurations, bounds, above, beneath, true, replicated);
    }

    Scenario withStandby() {
        return new Scenario(name, configurations, bounds, above, beneath, asynchronousMarks, true);
    }

    Scenario within(Bounds others) {
        return new Scenario(name, configurations, others, above, beneath, asynchronousMarks, replicated);
    }

    Configuration configuration(int caller) {
        return configurations.get(Math.min(caller, configurations.size() - 1));
    }

    /** Whether the commit of these steps survives a crash by itself. */
    boolean keeps(List<Step> steps) {
        boolean loneClaim = steps.size() == 1 && steps.get(0).mayBeLost();
        boolean claims = steps.stream().anyMatch(step -> step.kind() == Step.Kind.CLAIM);
        return !loneClaim && (claims || !asynchronousMarks);
    }
}
