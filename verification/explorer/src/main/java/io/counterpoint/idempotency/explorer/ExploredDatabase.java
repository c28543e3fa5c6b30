package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.explorer.Cluster.Commit;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The in-memory store as a separate server or several of them, with a log for recovery after a crash, and with the
 * domain's table, where no constraint prevents a second effect.
 */
final class ExploredDatabase {

    private static final int BATCH = 10;

    private final Scenario scenario;
    private final Names names;
    private final Cluster cluster;
    private final List<ServerTransaction> open = new ArrayList<>();
    private final Map<IdempotencyKey, Dates> dates = new HashMap<>();

    /** How many times commits have changed a record. */
    private final Map<IdempotencyKey, Integer> versions = new HashMap<>();

    final List<String> externalEffects = new ArrayList<>();
    private boolean refusesForGood;

    /** What would be left after a crash. */
    private String durable = "";

    /** The keys whose Failed records have become durable since they were last purged. */
    private final Set<IdempotencyKey> failedDurably = new HashSet<>();

    private int purges;
    private final Set<String> purgedEffects = new HashSet<>();
    private final Map<IdempotencyKey, IdempotencyRecord> records = new HashMap<>();

    ExploredDatabase(Scenario scenario, Names names) {
        this.scenario = scenario;
        this.names = names;
        this.cluster = new Cluster(scenario);
    }

    Cluster cluster() {
        return cluster;
    }

    /** The node of a caller that has moved this many times. */
    Node node(int moves) {
        return cluster.nodes().get(moves % cluster.nodes().size());
    }

    /** When a record was inserted and last changed. */
    private record Dates(long inserted, long updated) {
        Dates until(Dates last) {
            return new Dates(inserted, last.updated);
        }
    }

    /** The committed record, wherever that is known by now. */
    Optional<IdempotencyRecord> record(IdempotencyKey key) {
        return Optional.ofNullable(records.get(key));
    }

    /** Whether any record is pending. */
    boolean hasPending() {
        return records.values().stream().anyMatch(Pending.class::isInstance);
    }

    boolean hasRecords() {
        return !records.isEmpty();
    }

    boolean losesLocks() {
        return scenario.losesLocks();
    }

    int version(IdempotencyKey key) {
        return versions.getOrDefault(key, 0);
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

    /** Whether the record of that effect has been purged. */
    boolean isPurged(String effect) {
        return purgedEffects.contains(effect);
    }

    boolean failedDurably(IdempotencyKey key) {
        return failedDurably.contains(key);
    }

    /** From now on, the other system refuses all requests for the key, including those in flight. */
    void refuseForGood() {
        refusesForGood = true;
    }

    boolean refusesForGood() {
        return refusesForGood;
    }

    /** The bookings of external effects. */
    List<String> bookings() {
        return cluster.effects(Configuration.BOOKING);
    }

    /** All effects of a key, wherever they are. Calls with external effects have one key. */
    List<String> allEffects(IdempotencyKey key) {
        return withExternal(cluster.effects(key));
    }

    /** The effects that a lookup finds on a node. */
    List<String> effectsAt(Node node) {
        return withExternal(node.effects.getOrDefault(Configuration.KEY, List.of()));
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

    /** Executes a step in its own transaction. */
    Object alone(Step step, Node node) {
        return alone(step, node, true);
    }

    /**
     * The same. If the wait for the standby is broken, the commit is visible to everybody but not durable yet.
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
            scenario.keys().stream().filter(this::isFailed).forEach(failedDurably::add);
        }
    }

    private void dated(List<Change> changes) {
        Map<IdempotencyKey, Dates> now = new HashMap<>();
        for (Change change : changes) {
            Dates dated = new Dates(change.minutes(), change.minutes());
            now.merge(change.step().key(), dated, Dates::until);
        }
        now.forEach((key, dated) -> {
            versions.merge(key, 1, Integer::sum);
            dates.merge(key, dated, (before, last) -> records.containsKey(key) ? before.until(last) : last);
        });
    }

    private void look() {
        cluster.nodes().forEach(node -> node.look(scenario.keys()));
        lookAt(cluster.upToDate());
    }

    private void lookAt(Node node) {
        records.clear();
        scenario.keys().forEach(key -> node.record(key).ifPresent(record -> records.put(key, record)));
    }

    boolean isFailed(IdempotencyKey key) {
        return records.get(key) instanceof Failed;
    }

    // ---- events --------------------------------------------------------------------------------------------------

    void pass(long some) {
        cluster.pass(some);
        look();
    }

    void purge() {
        List<String> before = allEffects(Configuration.KEY);
        if (cluster.purge(BATCH)) {
            purgedEffects.addAll(before);
            externalEffects.clear();
            refusesForGood = false;
            failedDurably.clear();
            durable = "";
            purges++;
            look();
        }
    }

    /** A node dies together with its open transactions, and restarts with what the others have. */
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
        records.clear();
        cluster.recover(commit -> {
            dated(commit.changes());
            lookAt(node(0));
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
        StringBuilder code = new StringBuilder();
        for (IdempotencyKey key : scenario.keys()) {
            code.append(record(key).map(names::of).orElse("-")).append(cluster.effects(key));
        }
        return code.append(bookings()).append(refusesForGood ? "r" : "").toString();
    }

    String state() {
        StringBuilder state =
                new StringBuilder(code()).append(hasTail() ? durable : "=").append(externalEffects);
        for (IdempotencyKey key : scenario.keys()) {
            state.append(failedDurably(key));
            Dates dated = records.containsKey(key) ? dates.get(key) : null;
            if (dated != null) {
                state.append(minutes() - dated.inserted()).append('.').append(minutes() - dated.updated());
            }
        }
        for (Node node : cluster.nodes()) {
            if (cluster.isStale(node)) {
                state.append(node);
                scenario.keys()
                        .forEach(key -> state.append(
                                        node.record(key).map(names::of).orElse("-"))
                                .append(node.effects.getOrDefault(key, List.of())));
                state.append(node.effects.getOrDefault(Configuration.BOOKING, List.of()));
            }
        }
        return state.toString();
    }
}
