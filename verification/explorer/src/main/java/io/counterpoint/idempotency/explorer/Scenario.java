package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

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
 * @param nodes how many servers the database has; each of several locks for itself
 * @param idleTouches whether heartbeats and confirmations leave the record's bytes as they are
 * @param clocks how the clocks of callers go
 */
record Scenario(
        String name,
        List<Configuration> configurations,
        Bounds bounds,
        UnaryOperator<IdempotencyStore<Transaction>> above,
        UnaryOperator<IdempotencyStore<Transaction>> beneath,
        boolean asynchronousMarks,
        boolean replicated,
        int nodes,
        boolean idleTouches,
        Clocks clocks)
        implements Play<Caller> {

    @Override
    public int actors() {
        return bounds.callers();
    }

    @Override
    public Caller actor(int index) {
        return new Caller(index);
    }

    @Override
    public Schedule schedule(Choices choices, List<Caller> actors, @Nullable List<String> words) {
        return new Execution(this, choices, actors, words);
    }

    static Scenario of(String name, Bounds bounds, Configuration... configurations) {
        return new Scenario(
                name,
                List.of(configurations),
                bounds,
                UnaryOperator.identity(),
                UnaryOperator.identity(),
                false,
                false,
                1,
                false,
                Clocks.GO_ON);
    }

    Scenario above(UnaryOperator<IdempotencyStore<Transaction>> mutation) {
        return new Scenario(
                name,
                configurations,
                bounds,
                mutation,
                beneath,
                asynchronousMarks,
                replicated,
                nodes,
                idleTouches,
                clocks);
    }

    Scenario beneath(UnaryOperator<IdempotencyStore<Transaction>> mutation) {
        return new Scenario(
                name,
                configurations,
                bounds,
                above,
                mutation,
                asynchronousMarks,
                replicated,
                nodes,
                idleTouches,
                clocks);
    }

    Scenario withAsynchronousMarks() {
        return new Scenario(name, configurations, bounds, above, beneath, true, replicated, nodes, idleTouches, clocks);
    }

    Scenario withStandby() {
        return new Scenario(
                name, configurations, bounds, above, beneath, asynchronousMarks, true, nodes, idleTouches, clocks);
    }

    /** On several nodes, each of which locks for itself. Callers begin on different nodes. */
    Scenario withLocalLocks() {
        return new Scenario(
                name, configurations, bounds, above, beneath, asynchronousMarks, replicated, 2, idleTouches, clocks);
    }

    Scenario withIdleTouches() {
        return new Scenario(
                name, configurations, bounds, above, beneath, asynchronousMarks, replicated, nodes, true, clocks);
    }

    Scenario with(Clocks others) {
        return new Scenario(
                name,
                configurations,
                bounds,
                above,
                beneath,
                asynchronousMarks,
                replicated,
                nodes,
                idleTouches,
                others);
    }

    /** The clocks of callers while a retention passes. */
    enum Clocks {
        GO_ON,
        /** The monotonic timers stand still, as on machines that are suspended. */
        STAND_STILL,
        /** The wall clocks jump ahead whenever they are read. */
        JUMP
    }

    boolean hasGlobalLocks() {
        return nodes == 1;
    }

    Scenario within(Bounds others) {
        return new Scenario(
                name,
                configurations,
                others,
                above,
                beneath,
                asynchronousMarks,
                replicated,
                nodes,
                idleTouches,
                clocks);
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
