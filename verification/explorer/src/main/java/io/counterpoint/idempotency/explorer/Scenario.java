package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What is explored: how the callers' operations are set up, how much happens, and, for mutants, what is wrong. */
final class Scenario implements Play<Caller>, Cloneable {

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

    @Override
    public String name() {
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

    boolean hasGlobalLocks() {
        return nodes == 1;
    }

    @Override
    public String toString() {
        return name;
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
