package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.RecordSteps;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transaction on the server's side. It is open on a thread of its own, so it outlives the caller that began it: with
 * its locks, until a commit or the news of the caller's death arrives.
 */
final class ServerTransaction {

    private final Database database;
    private final Backends backends;
    private final GatedStore.GatedSession session;
    private boolean broken;
    private final List<Change> changes = new ArrayList<>();
    private Backends.@Nullable Backend backend;
    private boolean ended;

    ServerTransaction(Database database, Backends backends, GatedStore.GatedSession session) {
        this.session = session;
        this.database = database;
        this.backends = backends;
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

    boolean hasChanges() {
        return !changes.isEmpty();
    }

    Transaction handle() {
        steps();
        return running().scope().handle();
    }

    boolean isBegun() {
        return backend != null;
    }

    /** Whether anybody can see when it ends. */
    boolean matters() {
        return isOpen() && (!changes.isEmpty() || database.holdsLock(this));
    }

    Object perform(Step step) {
        RecordSteps steps = steps();
        Object answer = step.in(steps, running().scope());
        if (step.changed(answer)) {
            changes.add(new Change(step, database.minutes()));
        }
        boolean inserted = step.kind() == Step.Kind.CLAIM && step.changed(answer);
        if (inserted || (step.kind().locksRecord() && database.record().isPresent())) {
            database.locked(this);
        }
        return answer;
    }

    private RecordSteps steps() {
        Backends.Backend running = backend;
        if (running == null) {
            running = backends.take();
            backend = running;
            running.begin(database.store());
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

    void end(boolean commits) {
        end(commits, true);
    }

    void end(boolean commits, boolean replicated) {
        Backends.Backend running = backend;
        if (running == null || ended) {
            return;
        }
        ended = true;
        running.end(commits);
        backends.giveBack(running);
        database.ended(this);
        if (commits) {
            database.committed(changes, replicated);
        }
    }

    String code() {
        StringBuilder code = new StringBuilder(database.holdsLock(this) ? "h" : "");
        changes.forEach(change -> code.append(change.step().code()).append(change.minutes()));
        return code.toString();
    }
}
