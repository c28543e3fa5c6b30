package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A transaction on the server. It outlives the caller that began it, and holds its locks until a commit or the news of
 * the caller's death arrives. If nodes have local locks, another node's commit ends it, too. Its changes are applied to
 * the store and rolled back at each step, and applied again when it commits, so no thread has to keep it open.
 */
final class ServerTransaction {

    private final ExploredDatabase database;
    private final GatedStore.GatedSession session;
    private boolean broken;
    private final List<Change> changes = new ArrayList<>();

    /** The versions that records had before it changed them. */
    private final Map<IdempotencyKey, Integer> found = new TreeMap<>();

    private boolean begun;
    private boolean ended;
    private boolean aborted;
    private boolean working;
    private boolean replaced;

    ServerTransaction(ExploredDatabase database, GatedStore.GatedSession session) {
        this.session = session;
        this.database = database;
    }

    Node node() {
        return session.node();
    }

    /** Whether the client has begun it and the server has not ended it. */
    boolean isOpen() {
        return begun && !ended;
    }

    /** Whether the client's connection is lost. */
    boolean isBroken() {
        return broken || session.isBroken();
    }

    /** The connection is lost, and the locks with it if locks are not global and nodes are not modelled. */
    void breaks() {
        broken = true;
        session.breaks();
        if (database.losesLocks()) {
            node().unlocked(this);
        }
    }

    /** Whether another commit has changed what this transaction has changed: the first to commit wins. */
    boolean isOvertaken() {
        return database.losesLocks()
                && found.entrySet().stream().anyMatch(one -> database.version(one.getKey()) != one.getValue());
    }

    /** Whether a commit of another node has ended it, which its client does not know yet. */
    boolean isAborted() {
        return aborted;
    }

    /** Whether the user's code has got its handle. */
    boolean isWorking() {
        return working;
    }

    boolean hasChanges() {
        return !changes.isEmpty();
    }

    /** Whether it takes the record's token from its leader, or marks the record as failed. */
    boolean endsAnAttempt() {
        return changes.stream().anyMatch(change -> change.step().ends());
    }

    /** The results that it commits. */
    List<String> values() {
        return changes.stream()
                .map(Change::step)
                .filter(step -> step.kind() == Step.Kind.EFFECT)
                .map(Step::detail)
                .toList();
    }

    Transaction handle() {
        begin();
        working = true;
        return node().handle();
    }

    boolean isBegun() {
        return begun;
    }

    boolean holdsLock(IdempotencyKey key) {
        return node().lockHolder(key) == this;
    }

    private boolean holdsLocks() {
        return !node().lockedBy(this).isEmpty();
    }

    /** Whether anybody can see when it ends. */
    boolean matters() {
        return isOpen() && (!changes.isEmpty() || holdsLocks());
    }

    Object perform(Step step) {
        if (aborted) {
            throw new Injected(Fault.CONFLICT, false);
        }
        database.cluster().waitIfAsked(step, node(), this);
        begin();
        IdempotencyKey key = step.key();
        boolean wasThere = node().record(key).isPresent();
        Object answer = seesItsOwn(step) ? true : database.cluster().tried(changes, step, node());
        boolean changed = step.changed(answer);
        if (changed) {
            changes.add(new Change(step, database.minutes()));
            found.putIfAbsent(key, database.version(key));
        }
        boolean inserted = step.kind() == Step.Kind.CLAIM && changed;
        if (inserted || (step.kind().locksRecord() && wasThere)) {
            node().locked(key, this);
        }
        return answer;
    }

    /** It keeps seeing and changing what it has changed, until its commit is rejected. */
    private boolean seesItsOwn(Step step) {
        return step.kind().marks() && found.containsKey(step.key()) && isOvertaken();
    }

    private void begin() {
        if (!begun) {
            begun = true;
            database.begun(this);
        }
    }

    /** Ends as its client requests, unless a commit of another node came first. */
    void end(boolean commits) {
        end(commits, true);
    }

    /**
     * The same; a commit may not reach the standby.
     *
     * @throws Injected if it was to commit, and a commit of another node came first
     */
    void end(boolean commits, boolean replicated) {
        boolean loses = commits
                && !changes.isEmpty()
                && (aborted || isOvertaken() || database.cluster().isStale(node()));
        if (close(commits && !loses) && commits && !loses) {
            database.committed(changes, node(), replicated);
        }
        if (loses) {
            database.cluster().apply(node());
            throw new Injected(Fault.CONFLICT, true);
        }
    }

    /** Commits through an SQL statement of the work. The next statement silently begins another transaction. */
    void commitByText() {
        end(true);
        replaced = true;
        begun = false;
        ended = false;
        changes.clear();
        found.clear();
    }

    /** Whether this is no longer the transaction that the client began. */
    boolean isReplaced() {
        return replaced;
    }

    void rollBack() {
        boolean unused = close(false);
    }

    /** A commit of another node changes the record that it has locked. */
    void abort() {
        aborted = close(false);
    }

    private boolean close(boolean commits) {
        if (!isOpen()) {
            return false;
        }
        ended = true;
        if (commits) {
            database.cluster().commit(changes, node());
        }
        database.ended(this);
        return true;
    }

    String code() {
        StringBuilder code = new StringBuilder(node().lockedBy(this)).append(isOvertaken() ? "o" : "");
        if (database.cluster().nodes().size() > 1) {
            code.append(node()).append(aborted ? "a" : "");
        }
        changes.forEach(change -> code.append(change.step().code()).append(change.minutes()));
        return code.toString();
    }
}
