package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.explorer.Cluster.Commit;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The in-memory store as a server of its own, or as several: with a log from which it recovers after a crash, and the
 * domain's table, in which nothing refuses a second effect.
 */
final class Database {

    private static final int BATCH = 10;

    private final Scenario scenario;
    private final Names names;
    private final Cluster cluster;
    private final List<ServerTransaction> open = new ArrayList<>();
    private long inserted;
    private long updated;

    final List<String> externalEffects = new ArrayList<>();

    /** What would be left after a crash. */
    private String durable = "";

    /** Whether a Failed record has become durable since the key was last purged. */
    private boolean failedDurably;

    private int purges;
    private final Set<String> purgedEffects = new HashSet<>();
    private Optional<IdempotencyRecord> record = Optional.empty();

    Database(Scenario scenario, Names names) {
        this.scenario = scenario;
        this.names = names;
        this.cluster = new Cluster(scenario);
    }

    Cluster cluster() {
        return cluster;
    }

    /** The node of a caller that has moved on so often. */
    Node node(int moves) {
        return cluster.nodes().get(moves % cluster.nodes().size());
    }

    /** As it is committed, wherever that is known by now. */
    Optional<IdempotencyRecord> record() {
        return record;
    }

    int recoveries() {
        return node(0).recoveries();
    }

    long minutes() {
        return cluster.minutes();
    }

    int purges() {
        return purges;
    }

    /** Whether the record of that effect is purged. */
    boolean isPurged(String effect) {
        return purgedEffects.contains(effect);
    }

    boolean failedDurably() {
        return failedDurably;
    }

    /** All effects of the key, wherever they are. */
    List<String> allEffects() {
        return withExternal(cluster.effects());
    }

    /** Those that a lookup finds there. */
    List<String> effectsAt(Node node) {
        return withExternal(node.effects);
    }

    private List<String> withExternal(List<String> effects) {
        List<String> all = new ArrayList<>(effects);
        all.addAll(externalEffects);
        return all;
    }

    // ---- transactions --------------------------------------------------------------------------------------------

    /** Whether the step would have to wait for another transaction. */
    boolean blocks(Step step, Node node, @Nullable ServerTransaction transaction) {
        return cluster.blocks(step, node, transaction);
    }

    void begun(ServerTransaction transaction) {
        open.add(transaction);
    }

    void ended(ServerTransaction transaction) {
        open.remove(transaction);
        transaction.node().unlocked(transaction);
    }

    // ---- commits -------------------------------------------------------------------------------------------------

    /** One step in a transaction of its own. */
    Object alone(Step step, Node node) {
        return alone(step, node, true);
    }

    /**
     * The same; one whose wait for the standby is broken is seen by everybody, and not yet durable.
     *
     * @throws Injected if the node did not know of a commit elsewhere
     */
    Object alone(Step step, Node node, boolean replicated) {
        cluster.waitIfAsked(step, node, null);
        if (cluster.isStale(node)) {
            Object answer = node.tried(step::in);
            if (step.changed(answer)) {
                cluster.apply(node);
                throw new Injected(Fault.CONFLICT, true);
            }
            return answer;
        }
        Object answer = node.alone(step);
        if (step.changed(answer)) {
            committed(List.of(new Change(step, minutes())), node, replicated);
        }
        return answer;
    }

    void committed(List<Change> changes, Node node, boolean replicated) {
        if (changes.isEmpty()) {
            return;
        }
        Commit commit = new Commit(
                changes,
                replicated && scenario.keeps(changes.stream().map(Change::step).toList()));
        cluster.committed(commit, node);
        dated(changes);
        look();
        if (commit.durable()) {
            durable = code();
            failedDurably |= isFailed();
        }
    }

    private void dated(List<Change> changes) {
        if (record.isEmpty()) {
            inserted = changes.get(0).minutes();
        }
        updated = changes.get(changes.size() - 1).minutes();
    }

    private void look() {
        cluster.nodes().forEach(Node::look);
        record = cluster.upToDate().record();
    }

    boolean isFailed() {
        return record.map(found -> found.fold(pending -> false, succeeded -> false, failed -> true))
                .orElse(false);
    }

    // ---- events --------------------------------------------------------------------------------------------------

    void pass(long some) {
        cluster.pass(some);
        look();
    }

    void purge() {
        List<String> before = allEffects();
        if (cluster.purge(BATCH)) {
            purgedEffects.addAll(before);
            externalEffects.clear();
            failedDurably = false;
            durable = "";
            purges++;
            look();
        }
    }

    /** A node dies, with its open transactions, and comes back with what the others have. */
    void restart(Node node) {
        List.copyOf(open).stream()
                .filter(transaction -> transaction.node() == node)
                .forEach(ServerTransaction::rollBack);
        node.dies();
        cluster.apply(node);
    }

    /** The only server dies and recovers: open transactions are rolled back, and the tail of its log is lost. */
    void restart() {
        rollBackAll();
        node(0).dies();
        record = Optional.empty();
        cluster.recover(commit -> {
            dated(commit.changes());
            record = node(0).record();
        });
        look();
    }

    /** Whether a crash would lose anything. */
    boolean hasTail() {
        return cluster.hasTail();
    }

    void rollBackAll() {
        List.copyOf(open).forEach(ServerTransaction::rollBack);
    }

    // ---- state ---------------------------------------------------------------------------------------------------

    private String code() {
        return record.map(names::of).orElse("-") + cluster.effects();
    }

    String state() {
        StringBuilder state = new StringBuilder(code())
                .append(hasTail() ? durable : "=")
                .append(externalEffects)
                .append(failedDurably)
                .append(record.isPresent() ? (minutes() - inserted) + "." + (minutes() - updated) : "");
        for (Node node : cluster.nodes()) {
            if (cluster.isStale(node)) {
                state.append(node)
                        .append(node.record().map(names::of).orElse("-"))
                        .append(node.effects);
            }
        }
        return state.toString();
    }
}
