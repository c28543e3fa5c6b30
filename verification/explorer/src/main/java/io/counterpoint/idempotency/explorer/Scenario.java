package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is explored: the configuration of the callers' operations, the bounds and, for mutants, the bug. */
final class Scenario implements Cloneable {

    private final String name;
    private final List<Configuration> configurations;
    private Bounds bounds;
    private UnaryOperator<IdempotencyStore<Transaction>> above = UnaryOperator.identity();
    private UnaryOperator<IdempotencyStore<Transaction>> beneath = UnaryOperator.identity();
    private boolean asynchronousMarks;
    private boolean replicated;
    private int nodes = 1;
    private boolean idleHeartbeats;
    private Clocks clocks = Clocks.GO_ON;
    private Memory memory = Memory.KEPT;
    private @Nullable Batches batches;
    private List<IdempotencyKey> keys = List.of(Configuration.KEY);

    private Scenario(String name, Bounds bounds, List<Configuration> configurations) {
        this.name = name;
        this.bounds = bounds;
        this.configurations = configurations;
    }

    /**
     * Creates a scenario.
     *
     * @param name its name in the figures
     * @param bounds its bounds
     * @param configurations of the callers; the last one applies to all additional callers
     */
    static Scenario of(String name, Bounds bounds, Configuration... configurations) {
        return new Scenario(name, bounds, List.of(configurations));
    }

    /**
     * Creates a scenario in which each caller makes one call with a batch.
     *
     * @param name its name in the figures
     * @param faults the maximum number of faults
     * @param configuration of all callers, whose work is repeated up to two times
     * @param keys the keys of each caller, in the order of its call
     * @param poison keys whose work throws
     */
    static Scenario ofBatches(
            String name, int faults, Configuration configuration, List<List<String>> keys, String... poison) {
        Bounds bounds = new Bounds(keys.size(), 1, faults, 0, 0, 0, 0);
        List<List<IdempotencyKey>> all = keys.stream()
                .map(names -> names.stream().map(Configuration::key).toList())
                .toList();
        Set<IdempotencyKey> poisoned = Stream.of(poison).map(Configuration::key).collect(Collectors.toSet());
        return new Scenario(name, bounds, Collections.nCopies(keys.size(), configuration.retrying(2)))
                .with(scenario -> {
                    scenario.batches = new Batches(all, poisoned, true, false, UnaryOperator.identity());
                    scenario.keys = scenario.batches.distinctKeys();
                });
    }

    private Scenario with(Consumer<Scenario> change) {
        try {
            Scenario changed = (Scenario) clone();
            change.accept(changed);
            return changed;
        } catch (CloneNotSupportedException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Puts something between the engine and the explorer, newly created for every call. */
    Scenario above(UnaryOperator<IdempotencyStore<Transaction>> mutation) {
        return with(scenario -> scenario.above = mutation);
    }

    /** Puts something between the explorer and the store. */
    Scenario beneath(UnaryOperator<IdempotencyStore<Transaction>> mutation) {
        return with(scenario -> scenario.beneath = mutation);
    }

    /** Only claims that must survive a crash do so; nothing else does by itself. */
    Scenario withAsynchronousMarks() {
        return with(scenario -> scenario.asynchronousMarks = true);
    }

    /**
     * A commit waits for a standby. If the wait is broken, the commit is visible, but lost when the standby is
     * promoted, which is what a restart means here.
     */
    Scenario withStandby() {
        return with(scenario -> scenario.replicated = true);
    }

    /** Uses several nodes with local locks. Callers begin at different nodes. */
    Scenario withLocalLocks() {
        return with(scenario -> scenario.nodes = 2);
    }

    /** Heartbeats and confirmations do not change the record's bytes. */
    Scenario withIdleHeartbeats() {
        return with(scenario -> scenario.idleHeartbeats = true);
    }

    /** The operation of the batches has no result. */
    Scenario withoutResults() {
        return withBatches(
                batch -> new Batches(batch.keys(), batch.poison(), false, batch.losesLocks(), batch.answers()));
    }

    /** Callers of batches lose their locks with their connections. */
    Scenario losingLocks() {
        return withBatches(
                batch -> new Batches(batch.keys(), batch.poison(), batch.withResults(), true, batch.answers()));
    }

    /** Puts something between the outcomes of batches and what callers get. */
    Scenario answering(UnaryOperator<List<? extends BatchResult<?>>> mutation) {
        return withBatches(
                batch -> new Batches(batch.keys(), batch.poison(), batch.withResults(), batch.losesLocks(), mutation));
    }

    private Scenario withBatches(UnaryOperator<Batches> change) {
        return with(scenario -> scenario.batches = change.apply(Objects.requireNonNull(scenario.batches)));
    }

    Scenario with(Clocks others) {
        return with(scenario -> scenario.clocks = others);
    }

    Scenario with(Memory other) {
        return with(scenario -> scenario.memory = other);
    }

    Scenario within(Bounds others) {
        return with(scenario -> scenario.bounds = others);
    }

    /** The callers' clocks while a retention passes. */
    enum Clocks {
        GO_ON,
        /** The monotonic timers stop, as on suspended machines. */
        STAND_STILL,
        /** The wall clocks jump ahead whenever they are read. */
        JUMP
    }

    /** A process's memory of its calls without a reply. It may shorten a wait, but decides nothing. */
    enum Memory {
        KEPT,
        /** Each call finds it empty. */
        EMPTY,
        /** Each call finds the tokens of all other calls in it. */
        FOREIGN
    }

    String name() {
        return name;
    }

    List<Configuration> configurations() {
        return configurations;
    }

    Bounds bounds() {
        return bounds;
    }

    UnaryOperator<IdempotencyStore<Transaction>> above() {
        return above;
    }

    UnaryOperator<IdempotencyStore<Transaction>> beneath() {
        return beneath;
    }

    boolean asynchronousMarks() {
        return asynchronousMarks;
    }

    boolean replicated() {
        return replicated;
    }

    int nodes() {
        return nodes;
    }

    boolean idleHeartbeats() {
        return idleHeartbeats;
    }

    Clocks clocks() {
        return clocks;
    }

    Memory memory() {
        return memory;
    }

    /** What callers call, unless it is one operation for one key. */
    @Nullable
    Batches batches() {
        return batches;
    }

    /** All keys of all calls. */
    List<IdempotencyKey> keys() {
        return keys;
    }

    boolean losesLocks() {
        return batches != null && batches.losesLocks();
    }

    boolean hasGlobalLocks() {
        return nodes == 1 && !losesLocks();
    }

    @Override
    public String toString() {
        return name;
    }

    Configuration configuration(int caller) {
        return configurations.get(Math.min(caller, configurations.size() - 1));
    }

    /** Whether all callers send the same request with their key. */
    boolean isAboutOneRequest() {
        return configurations.stream().map(Configuration::request).distinct().count() == 1;
    }

    /** Whether the commit of these steps survives a crash by itself. */
    boolean keeps(List<Step> steps) {
        boolean loneClaim = steps.size() == 1 && steps.get(0).mayBeLost();
        boolean claims = steps.stream().anyMatch(step -> step.kind() == Step.Kind.CLAIM);
        return batches != null || (!loneClaim && (claims || !asynchronousMarks));
    }
}
