package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.engine.Waiting.Moment;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What one call knows about its own writes that were not answered. It belongs to the call and its thread. Each event of the
 * call is a method, and so is each question that depends on it: whether the call may release, return, lead, or be forgotten.
 */
final class Doubt<R> {

    private final IdempotencyStore<?> store;
    private final Waiting waiting;
    private final Duration retention;
    private final Duration settleWithin;

    /** Why it is not known whether the latest claim, commit or arbitration arrived. */
    private @Nullable Throwable because;

    /** What was thrown in place of the answer to the latest commit, if one was lost. */
    private @Nullable Throwable lostCommit;

    /** How often the work has run under a claim of this call alone. */
    private int workRuns;

    /** The results of runs whose commits were not answered, by their tokens. At most one of them is committed. */
    private Map<UUID, R> runs = Map.of();

    /** When the first of these runs began. */
    private @Nullable Moment since;

    /** Whether one of these commits carried its record. It can arrive whenever the key has no record. */
    private boolean mayArriveLate;

    /** Whether a write was not answered, or work has begun under a committed claim: a record of this call's may be left. */
    private boolean mayBeLeft;

    private boolean hasLed;
    private boolean attemptEnded;
    private @Nullable Budget withoutDoubt;
    private @Nullable Budget toSettle;

    Doubt(IdempotencyStore<?> store, Waiting waiting, Duration retention, Duration settleWithin) {
        this.store = store;
        this.waiting = waiting;
        this.retention = retention;
        this.settleWithin = settleWithin;
    }

    private Locks locks() {
        return Locks.of(store);
    }

    // ---- what happens --------------------------------------------------------------------------------------------

    /** A write was not answered. From now on nothing is returned that a write has not confirmed. */
    void unanswered(Throwable thrown) {
        because = thrown;
        mayBeLeft = true;
    }

    /** The commit of a run was not answered. Its record was inserted before: a claim waits for it where locks are global. */
    void commitUnanswered(UUID token, R result, Moment begun, Throwable thrown) {
        unanswered(thrown);
        lostCommit = thrown;
        since = since == null ? begun : since;
        runs = new HashMap<>(runs);
        runs.put(token, result);
    }

    /** The commit of a run was not answered, and its record is on its way with it. Nothing waits for that. */
    void lateCommitUnanswered(UUID token, R result, Moment begun, Throwable thrown) {
        commitUnanswered(token, result, begun, thrown);
        mayArriveLate = true;
        hasLed = true;
    }

    /** A claim of this call has found no record, in a transaction that goes on. */
    void claimLeads() {
        hasLed = true;
        if (locks().claimWaitsForEarlierRuns()) {
            because = null;
            runs = Map.of();
            since = null;
        }
    }

    /** The work of this call begins under a claim that is committed. */
    void leads() {
        hasLed = true;
        mayBeLeft = true;
    }

    /**
     * A record was read, and confirmed by a write or not. Another caller's {@code Pending} record may be released, and a
     * late commit then arrives.
     */
    void met(IdempotencyRecord record, boolean own, boolean confirmed) {
        boolean mayGiveWay = mayArriveLate && !own && !Tokens.isTerminal(record);
        if ((confirmed || locks().readEndsDoubt()) && !mayGiveWay) {
            because = null;
        }
    }

    /** A write of this call was answered that decides what becomes of the record, such as its claim. */
    void decided() {
        because = null;
    }

    /** The attempt has ended: a durable failure was written, the key was released, or nobody runs it again. */
    void attemptEnded() {
        attemptEnded = true;
    }

    // ---- what follows --------------------------------------------------------------------------------------------

    boolean exists() {
        return because != null;
    }

    Optional<Throwable> because() {
        return Optional.ofNullable(because);
    }

    /** What was thrown in place of the answer to the latest commit that was lost. */
    Throwable lostCommit() {
        return Objects.requireNonNull(lostCommit);
    }

    /** How often the work has run under a claim of this call alone. */
    int runs() {
        return workRuns;
    }

    /** Rule 8: whether the work has run as often as it may, and the commit of a run was not answered. */
    boolean mayNotRunAgain(int retries) {
        return lostCommit != null && workRuns > retries;
    }

    /** Whether nothing of this call was ever under way: neither a write without an answer, nor its work. */
    boolean nothingStarted() {
        return because == null && !hasLed;
    }

    /** Whether this call's own work has begun, or its claim leads. */
    boolean hasLed() {
        return hasLed;
    }

    /** Whether the key may be released. Where an effect may still arrive, a record has to keep it out. */
    boolean mayRelease() {
        return !mayArriveLate && (because == null || locks().mayReleaseInDoubt());
    }

    /** Whether an effect of this call can arrive as long as the key has no record. */
    boolean mayArriveLate() {
        return mayArriveLate;
    }

    /** Rule 15: whether a record that was read has to be confirmed by a write before this call returns anything of it. */
    boolean demandsConfirmation(IdempotencyRecord found, boolean own, boolean matches) {
        return because != null && (own || Tokens.isTerminal(found) || !(locks().readEndsDoubt() || matches));
    }

    /** Whether the commit of a run was not answered, and no claim has waited for it. */
    boolean hasRunInDoubt() {
        return since != null;
    }

    /** Whether the record of a run in doubt may be purged by now: then its absence proves nothing. */
    boolean recordMayBePurged() {
        return since != null && waiting.hasPassed(retention, since);
    }

    /** What a run has returned, if its commit is in doubt. */
    Optional<R> resultOf(UUID token) {
        return Optional.ofNullable(runs.get(token));
    }

    boolean hasAttemptEnded() {
        return attemptEnded;
    }

    /** Whether a record under a token of this call may be left, so that a later call of this process need not wait. */
    boolean mayBeLeft() {
        return mayBeLeft;
    }

    // ---- how long ------------------------------------------------------------------------------------------------

    /** What is left for the store to answer. More of it where a commit has to be resolved. */
    Budget budget() {
        if (because != null) {
            toSettle = toSettle == null ? Budget.toSettle(waiting, settleWithin) : toSettle;
            return toSettle;
        }
        withoutDoubt = withoutDoubt == null ? Budget.withoutDoubt(waiting) : withoutDoubt;
        return withoutDoubt;
    }

    /** After the user's work, which may take long. */
    void hasRun() {
        workRuns++;
        if (withoutDoubt != null) {
            withoutDoubt.restartTime();
        }
        if (toSettle != null) {
            toSettle.restartTime();
        }
    }

    /** After a wait that the caller wanted. */
    void renewBudget() {
        withoutDoubt = null;
    }
}
