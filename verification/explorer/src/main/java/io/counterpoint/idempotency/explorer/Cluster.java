package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.WorkScope;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The server of a database, or several with a common log. Each of several servers has local locks, and a transaction
 * that has changed a record commits only if its node had applied all earlier commits to it: the first to commit wins.
 */
final class Cluster {

    private final Scenario scenario;
    private final List<Commit> log = new ArrayList<>();
    private final List<Node> nodes;

    /** The effects since the keys were last purged. */
    private final Map<IdempotencyKey, List<String>> effects = new TreeMap<>();

    private long minutes;

    /** The node that is currently committing or applying, and whether it is applying earlier changes. */
    private Node current;

    private boolean happenedBefore;

    Cluster(Scenario scenario) {
        this.scenario = scenario;
        this.nodes = IntStream.range(0, scenario.nodes())
                .mapToObj(index -> new Node(index, fresh()))
                .toList();
        this.current = nodes.get(0);
    }

    private IdempotencyStore<Transaction> fresh() {
        return scenario.beneath().apply(new InMemoryIdempotencyStore(new IdempotencyClock() {
            @Override
            public Instant now() {
                return Instant.EPOCH.plus(Duration.ofMinutes(minutes));
            }

            @Override
            public void sleep(Duration pause) {
                throw new UnsupportedOperationException();
            }
        }));
    }

    List<Node> nodes() {
        return nodes;
    }

    /** A node that has applied everything. */
    Node upToDate() {
        return nodes.stream().filter(node -> !isStale(node)).findFirst().orElseThrow();
    }

    long minutes() {
        return minutes;
    }

    void pass(long some) {
        minutes += some;
    }

    /** The effects of a key in this database. */
    List<String> effects(IdempotencyKey key) {
        return effects.getOrDefault(key, List.of());
    }

    /** Records a committed effect, at the node that is committing or applying. */
    void happens(IdempotencyKey key, String value) {
        current.effects.computeIfAbsent(key, unused -> new ArrayList<>()).add(value);
        if (!happenedBefore) {
            effects.computeIfAbsent(key, unused -> new ArrayList<>()).add(value);
        }
    }

    // ---- locks ---------------------------------------------------------------------------------------------------

    /** Whether the step would have to wait for another transaction of the node. */
    boolean blocks(Step step, Node node, @Nullable ServerTransaction transaction) {
        ServerTransaction holder = node.lockHolder(step.key());
        if (holder == null || holder == transaction || waits(step, node, transaction)) {
            return false;
        }
        boolean isThere = node.record(step.key()).isPresent();
        return step.kind() == Step.Kind.CLAIM ? !isThere : step.kind().locksRecord() && isThere;
    }

    // ---- commits of others ---------------------------------------------------------------------------------------

    /** Whether there are commits that the node has not applied. */
    boolean isStale(Node node) {
        return node.applied() < log.size();
    }

    /** Whether the step first waits until its node has applied what is committed elsewhere. */
    private boolean waits(Step step, Node node, @Nullable ServerTransaction transaction) {
        boolean isFirst = transaction == null || !transaction.isBegun();
        return isStale(node) && isFirst && step.kind().waitsForOtherNodes();
    }

    void waitIfAsked(Step step, Node node, @Nullable ServerTransaction transaction) {
        if (waits(step, node, transaction)) {
            apply(node);
        }
    }

    /**
     * Makes the node apply what was committed elsewhere. A transaction there that holds the lock of a changed record is
     * rolled back.
     */
    void apply(Node node) {
        if (isStale(node)) {
            List<Commit> missing = log.subList(node.applied(), log.size());
            missing.forEach(commit -> commit.changes()
                    .forEach(change -> node.rollBackLockHolder(change.step().key())));
            missing.forEach(commit -> apply(commit, node));
            node.appliedAll(log);
            node.look(scenario.keys());
        }
    }

    private void apply(Commit commit, Node node) {
        happenedBefore = true;
        current = node;
        node.apply((steps, scope) -> make(commit.changes(), steps, scope));
        happenedBefore = false;
    }

    /** Makes the changes, each at its own time. */
    private void make(List<Change> changes, RecordSteps steps, WorkScope<Transaction> scope) {
        long now = minutes;
        for (Change change : changes) {
            minutes = change.minutes();
            Object unused = change.step().in(steps, scope);
        }
        minutes = now;
    }

    // ---- commits -------------------------------------------------------------------------------------------------

    /** The result of one more step in an open transaction. */
    Object tried(List<Change> before, Step step, Node node) {
        return node.tried((steps, scope) -> {
            make(before, steps, scope);
            return step.in(steps, scope);
        });
    }

    void commit(List<Change> changes, Node node) {
        current = node;
        node.apply((steps, scope) -> make(changes, steps, scope));
    }

    void committed(Commit commit, Node node) {
        log.add(commit);
        node.appliedAll(log);
    }

    /** Whether a crash would lose anything. */
    boolean hasTail() {
        return !log.isEmpty() && !log.get(log.size() - 1).durable();
    }

    /** Deletes the records on all nodes. Returns false if there is none to delete, or one of them is locked. */
    boolean purge(int batch) {
        Node first = upToDate();
        if (scenario.keys().stream().anyMatch(key -> first.lockHolder(key) != null)
                || first.store().purgeExpired(batch) == 0) {
            return false;
        }
        for (Node node : nodes) {
            if (node != first) {
                apply(node);
                scenario.keys().forEach(node::rollBackLockHolder);
                int unused = node.store().purgeExpired(batch);
            }
            node.effects.clear();
        }
        log.clear();
        nodes.forEach(node -> node.appliedAll(log));
        effects.clear();
        return true;
    }

    /** The only node recovers from its log, without the tail. The state is inspected after each commit. */
    void recover(Consumer<Commit> recovered) {
        Node node = nodes.get(0);
        while (hasTail()) {
            log.remove(log.size() - 1);
        }
        node.startAgain(fresh());
        effects.clear();
        for (Commit commit : log) {
            apply(commit, node);
            effects.clear();
            node.effects.forEach((key, values) -> effects.put(key, new ArrayList<>(values)));
            node.look(scenario.keys());
            recovered.accept(commit);
        }
        node.appliedAll(log);
    }

    /** Changes that were committed together. */
    record Commit(List<Change> changes, boolean durable) {}
}
