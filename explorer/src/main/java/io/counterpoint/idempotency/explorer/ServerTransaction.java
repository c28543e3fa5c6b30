package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.RecordSteps;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transaction on the server's side. It is open on a thread of its own, so it outlives the caller that began it: with
 * its locks, until a commit or the news of the caller's death arrives. Where several nodes lock for themselves, the commit
 * of another node ends it too.
 */
final class ServerTransaction {

    private final Database database;
    private final Backends backends;
    private final GatedStore.GatedSession session;
    private boolean broken;
    private final List<Change> changes = new ArrayList<>();
    private Backends.@Nullable Backend backend;
    private boolean ended;
    private boolean aborted;
    private boolean working;

    ServerTransaction(Database database, Backends backends, GatedStore.GatedSession session) {
        this.session = session;
        this.database = database;
        this.backends = backends;
    }

    Node node() {
        return session.node();
    }

    /** Whether the client has begun it and the server has not ended it. */
    boolean isOpen() {
        return backend != null && !ended;
    }

    /** Whether the client's connection is lost. */
    boolean isBroken() {
        return broken || session.isBroken();
    }

    void breaks() {
        broken = true;
        session.breaks();
    }

    /** Whether a commit of another node has ended it. Its client does not know yet. */
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

    /** Whether it takes the record's token from its leader, or fails it. */
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
        steps();
        working = true;
        return running().scope().handle();
    }

    boolean isBegun() {
        return backend != null;
    }

    boolean holdsLock() {
        return node().lockHolder() == this;
    }

    /** Whether anybody can see when it ends. */
    boolean matters() {
        return isOpen() && (!changes.isEmpty() || holdsLock());
    }

    Object perform(Step step) {
        if (aborted) {
            throw new Injected(Fault.CONFLICT, false);
        }
        database.cluster().waitIfAsked(step, node(), this);
        RecordSteps steps = steps();
        boolean wasThere = node().record().isPresent();
        Object answer = step.in(steps, running().scope());
        if (step.changed(answer)) {
            changes.add(new Change(step, database.minutes()));
        }
        boolean inserted = step.kind() == Step.Kind.CLAIM && step.changed(answer);
        if (inserted || (step.kind().locksRecord() && wasThere)) {
            node().locked(this);
        }
        return answer;
    }

    private RecordSteps steps() {
        Backends.Backend running = backend;
        if (running == null) {
            running = backends.take();
            backend = running;
            running.begin(node().store());
            database.begun(this);
        }
        return running.steps();
    }

    private Backends.Backend running() {
        Backends.Backend running = backend;
        if (running == null) {
            throw new IllegalStateException("No transaction is open.");
        }
        return running;
    }

    /** Ends as its client asks, unless a commit of another node was first. */
    void end(boolean commits) {
        end(commits, true);
    }

    /**
     * The same; a commit may not reach the standby.
     *
     * @throws Injected if it was to commit, and a commit of another node was first
     */
    void end(boolean commits, boolean replicated) {
        boolean loses =
                commits && !changes.isEmpty() && (aborted || database.cluster().isStale(node()));
        if (close(commits && !loses) && commits && !loses) {
            database.committed(changes, node(), replicated);
        }
        if (loses) {
            database.cluster().apply(node());
            throw new Injected(Fault.CONFLICT, true);
        }
    }

    void rollBack() {
        boolean unused = close(false);
    }

    /** A commit of another node changes the record that it has locked. */
    void abort() {
        aborted = close(false);
    }

    private boolean close(boolean commits) {
        Backends.Backend running = backend;
        if (running == null || ended) {
            return false;
        }
        ended = true;
        database.cluster().commitsAt(node());
        running.end(commits);
        backends.giveBack(running);
        database.ended(this);
        return true;
    }

    String code() {
        StringBuilder code = new StringBuilder(holdsLock() ? "h" : "");
        if (database.cluster().nodes().size() > 1) {
            code.append(node()).append(aborted ? "a" : "");
        }
        changes.forEach(change -> code.append(change.step().code()).append(change.minutes()));
        return code.toString();
    }
}
