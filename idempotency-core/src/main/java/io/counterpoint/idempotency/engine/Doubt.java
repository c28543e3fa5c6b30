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
 * What one call knows about its own writes whose replies were lost. It is confined to the call and its thread. Each
 * event of the call is a method, and so is each decision that depends on it: whether the call may release, return, lead
 * or be forgotten.
 */
final class Doubt<R> {

    private final IdempotencyStore<?> store;
    private final Waiting waiting;
    private final Duration retention;
    private final Duration settleWithin;

    /** Why it is unknown whether the latest claim, commit or arbitration arrived. */
    private @Nullable Throwable because;

    /** What was thrown instead of the reply to the latest commit, if that was lost. */
    private @Nullable Throwable lostCommit;

    /** How often the work has run under a claim of this call only. */
    private int workRuns;

    /** The results of runs whose commit replies were lost, by token. At most one of them is committed. */
    private Map<UUID, R> runs = Map.of();

    /** When the first of these runs began. */
    private @Nullable Moment since;

    /** Whether one of these commits carried its record. It can arrive as long as the key has no record. */
    private boolean mayArriveLate;

    /**
     * Whether the reply to a write was lost, or work has begun under a committed claim, so that a record of this call
     * may remain.
     */
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

    /** The reply to a write was lost. From now on, nothing is returned unless a write has confirmed it. */
    void unanswered(Throwable thrown) {
        because = thrown;
        mayBeLeft = true;
    }

    /**
     * The reply to the commit of a run was lost. Its record was inserted earlier: a claim waits for it if locks are
     * global.
     */
    void commitUnanswered(UUID token, R result, Moment begun, Throwable thrown) {
        unanswered(thrown);
        lostCommit = thrown;
        since = since == null ? begun : since;
        runs = new HashMap<>(runs);
        runs.put(token, result);
    }

    /** The reply to the commit of a run was lost, and its record is sent with that commit. Nothing waits for it. */
    void lateCommitUnanswered(UUID token, R result, Moment begun, Throwable thrown) {
        commitUnanswered(token, result, begun, thrown);
        mayArriveLate = true;
        hasLed = true;
    }

    /** A claim of this call found no record, in a transaction that continues. */
    void claimLeads() {
        hasLed = true;
        if (locks().claimWaitsForEarlierRuns()) {
            because = null;
            runs = Map.of();
            since = null;
        }
    }

    /** The work of this call begins under a committed claim. */
    void leads() {
        hasLed = true;
        mayBeLeft = true;
    }

    /**
     * A record was read and may have been confirmed by a write. Another caller's {@code Pending} record may be
     * released, after which a late commit can arrive.
     */
    void met(IdempotencyRecord record, boolean own, boolean confirmed) {
        boolean mayGiveWay = mayArriveLate && !own && !Tokens.isTerminal(record);
        if ((confirmed || locks().readEndsDoubt()) && !mayGiveWay) {
            because = null;
        }
    }

    /** The store acknowledged a write of this call that decides the fate of the record, such as its claim. */
    void decided() {
        because = null;
    }

    /**
     * The attempt has ended: a durable failure was written, the key was released, or the attempt will never run again.
     */
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

    /** What was thrown instead of the latest lost reply to a commit. */
    Throwable lostCommit() {
        return Objects.requireNonNull(lostCommit);
    }

    /** How often the work has run under a claim of this call only. */
    int runs() {
        return workRuns;
    }

    /** Rule 8: whether the work has run as often as it may and the reply to the commit of a run was lost. */
    boolean mayNotRunAgain(int retries) {
        return lostCommit != null && workRuns > retries;
    }

    /** Whether this call has started nothing: neither a write without a reply nor its work. */
    boolean nothingStarted() {
        return because == null && !hasLed;
    }

    /** Whether this call's own work has begun or its claim leads. */
    boolean hasLed() {
        return hasLed;
    }

    /** Whether the key may be released. If an effect may still arrive, a record has to keep it out. */
    boolean mayRelease() {
        return !mayArriveLate && (because == null || locks().mayReleaseInDoubt());
    }

    /** Whether an effect of this call can arrive as long as the key has no record. */
    boolean mayArriveLate() {
        return mayArriveLate;
    }

    /**
     * Rule 15: whether a record that was read has to be confirmed by a write before this call returns anything from it.
     */
    boolean demandsConfirmation(IdempotencyRecord found, boolean own, boolean matches) {
        return because != null && (own || Tokens.isTerminal(found) || !(locks().readEndsDoubt() || matches));
    }

    /** Whether the reply to the commit of a run was lost and no claim has waited for it. */
    boolean hasRunInDoubt() {
        return since != null;
    }

    /** Whether the record of a run in doubt may have been purged by now, so that its absence proves nothing. */
    boolean recordMayBePurged() {
        return since != null && waiting.hasPassed(retention, since);
    }

    /** What a run returned, if its commit is in doubt. */
    Optional<R> resultOf(UUID token) {
        return Optional.ofNullable(runs.get(token));
    }

    boolean hasAttemptEnded() {
        return attemptEnded;
    }

    /** Whether a record under a token of this call may remain, so that a later call of this process need not wait. */
    boolean mayBeLeft() {
        return mayBeLeft;
    }

    // ---- budgets -------------------------------------------------------------------------------------------------

    /** The remaining budget for retries; larger if a commit has to be resolved. */
    Budget budget() {
        if (because != null) {
            toSettle = toSettle == null ? Budget.toSettle(waiting, settleWithin) : toSettle;
            return toSettle;
        }
        withoutDoubt = withoutDoubt == null ? Budget.withoutDoubt(waiting) : withoutDoubt;
        return withoutDoubt;
    }

    /** Called after the user's work, which may take long. */
    void hasRun() {
        workRuns++;
        if (withoutDoubt != null) {
            withoutDoubt.restartTime();
        }
        if (toSettle != null) {
            toSettle.restartTime();
        }
    }

    /** Called after a wait that the caller wanted. */
    void renewBudget() {
        withoutDoubt = null;
    }
}
