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

/** What is explored: how the callers' operations are set up, how much happens, and, for mutants, what is wrong. */
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
     * A scenario.
     *
     * @param name how the figures call it
     * @param bounds how much happens
     * @param configurations of the callers; the last one counts for all further callers
     */
    static Scenario of(String name, Bounds bounds, Configuration... configurations) {
        return new Scenario(name, bounds, List.of(configurations));
    }

    /**
     * A scenario in which each caller makes one call, with a batch.
     *
     * @param name how the figures call it
     * @param faults how many, at most
     * @param configuration of all callers, whose work runs again up to two times
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

    /** With something between the engine and the explorer, made anew for every call. */
    Scenario above(UnaryOperator<IdempotencyStore<Transaction>> mutation) {
        return with(scenario -> scenario.above = mutation);
    }

    /** With something between the explorer and the store. */
    Scenario beneath(UnaryOperator<IdempotencyStore<Transaction>> mutation) {
        return with(scenario -> scenario.beneath = mutation);
    }

    /** Only claims survive a crash that must, and nothing else does by itself. */
    Scenario withAsynchronousMarks() {
        return with(scenario -> scenario.asynchronousMarks = true);
    }

    /**
     * A commit waits for a standby. The wait can break, and then the commit is there but lost when the standby is promoted,
     * which is what a restart means here.
     */
    Scenario withStandby() {
        return with(scenario -> scenario.replicated = true);
    }

    /** On several nodes, each of which locks for itself. Callers begin on different nodes. */
    Scenario withLocalLocks() {
        return with(scenario -> scenario.nodes = 2);
    }

    /** Heartbeats and confirmations leave the record's bytes as they are. */
    Scenario withIdleHeartbeats() {
        return with(scenario -> scenario.idleHeartbeats = true);
    }

    /** The operation of batches has no result. */
    Scenario withoutResults() {
        return withBatches(
                batch -> new Batches(batch.keys(), batch.poison(), false, batch.losesLocks(), batch.answers()));
    }

    /** Callers of batches lose their locks with their connections. */
    Scenario losingLocks() {
        return withBatches(
                batch -> new Batches(batch.keys(), batch.poison(), batch.withResults(), true, batch.answers()));
    }

    /** With something between the answers of batches and what callers get. */
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

    /** The clocks of callers while a retention passes. */
    enum Clocks {
        GO_ON,
        /** The monotonic timers stand still, as on machines that are suspended. */
        STAND_STILL,
        /** The wall clocks jump ahead whenever they are read. */
        JUMP
    }

    /** What a process remembers of its calls without an answer. It may shorten a wait, and decides nothing. */
    enum Memory {
        KEPT,
        /** Each call finds it empty. */
        EMPTY,
        /** Each call finds the tokens of all others in it. */
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

    /** What callers call, if not one operation for one key. */
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

    /** Whether all callers ask for the same under their key. */
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
