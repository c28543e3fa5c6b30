package io.counterpoint.idempotency;

import io.counterpoint.idempotency.IdempotencyException.NotStartedException;
import io.counterpoint.idempotency.IdempotencyException.OutcomeUnknownException;
import io.counterpoint.idempotency.IdempotencyException.UndecodableException;
import io.counterpoint.idempotency.IdempotencyException.UnstorableResultException;
import io.counterpoint.idempotency.Settings.Abandoned;
import io.counterpoint.idempotency.spi.Claim;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.IdempotencyStore.Fault;
import io.counterpoint.idempotency.spi.IdempotencyStore.Session;
import io.counterpoint.idempotency.spi.StoreTransaction;
import io.counterpoint.idempotency.spi.StoreTransaction.Durability;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The protocol, and the only place where it decides anything.
 *
 * <p>A call goes in rounds. Each claims the key or finds its record; a leader works, a follower answers from the record.
 * A round without an answer (the record changed meanwhile, a wait is not over, the answer to a claim was lost) is
 * followed by another, in which whatever this call wrote is recognised by its tokens. Rounds that are not waits are
 * bounded, so a call ends.
 *
 * <p>Nothing here holds a session while it opens another, or while it waits: a pool of one connection is enough.
 */
final class Engine<C, R> extends Call<C, R> {

    private static final Failure GONE =
            new Failure(Failure.ABANDONED, "The leader was gone before anything was committed.");

    /** Why it is not known whether this call's latest claim, commit or arbitration arrived. */
    private @Nullable Throwable doubt;

    /** The result of a transaction whose commit is in doubt. */
    private @Nullable R doubtful;

    private Optional<Throwable> ownFailure = Optional.empty();

    /** Whether this call has led the key at any time: it can then not say any more that nothing was started. */
    private boolean hasLed;

    /** Whether this call may have left a record {@code Pending} under a token of its own. */
    private boolean mayBePending;

    /** Whether the attempt is settled: a durable failure was written, or the key was released. */
    private boolean failureSettled;

    /** For rounds in which the store did not answer, or the record changed under our eyes. */
    private @Nullable Patience rounds;

    /** The same while something is in doubt. */
    private @Nullable Patience settling;

    /** Other fingerprints of the same request, which records of before may have. */
    private final List<Fingerprint> former;

    /** Whether the key seems to have a record, so that to read it is cheaper than to claim the key in vain. */
    private boolean met;

    private Engine(
            Settings<C, R> settings,
            IdempotencyKey key,
            Fingerprint fingerprint,
            List<Fingerprint> former,
            Optional<R> plan,
            Settings.Work<C, R> work) {
        super(settings, key, fingerprint, plan, work);
        this.former = former;
        this.met = settings.metKeys.contains(key);
    }

    /** The answer to an attempt. {@code X} is what the work throws; nothing else checked leaves. */
    static <C, R, X extends Exception> Outcome<R> answer(
            Settings<C, R> settings, Attempt attempt, @Nullable Supplier<? extends R> planner, Settings.Work<C, R> work)
            throws X {
        IdempotencyKey key = attempt.keyFor(settings.name);
        if (planner == null && settings.looksUpByPlan) {
            throw new IllegalStateException(
                    key + ": this operation looks up by plan, so call executePlanned, or look up by key.");
        }
        return notNested(key, () -> {
            Optional<R> plan = planner == null ? Optional.empty() : Optional.of(planned(key, planner));
            Engine<C, R> engine = new Engine<>(settings, key, attempt.fingerprint(), attempt.former(), plan, work);
            return engine.uninterrupted(engine::answer);
        });
    }

    /** The same for work elsewhere that only begins here. What it ends with is settled on the thread that ends it. */
    static <C, R> CompletionStage<Outcome<R>> answerLater(
            Settings<C, R> settings, Attempt attempt, ExternalOperation.AsyncWork<R> work) {
        IdempotencyKey key = attempt.keyFor(settings.name);
        CompletableFuture<R> effect = new CompletableFuture<>();
        CompletableFuture<Outcome<R>> answer = new CompletableFuture<>();
        Settings.Work<C, R> beginning = (handle, itsKey, plan) -> {
            work.begin(itsKey).whenComplete((result, thrown) -> complete(effect, itsKey, result, thrown));
            throw new GoesOn(null);
        };
        Engine<C, R> engine =
                new Engine<>(settings, key, attempt.fingerprint(), attempt.former(), Optional.empty(), beginning);
        CompletionStage<R> ended = effect;
        return notNested(key, () -> {
            try {
                answer.complete(engine.uninterrupted(engine::answer));
            } catch (GoesOn goesOn) {
                ended.whenComplete((result, thrown) -> engine.end(goesOn.token(), result, thrown, answer));
            } catch (Throwable thrown) {
                answer.completeExceptionally(thrown);
            }
            return answer;
        });
    }

    private static <R> void complete(
            CompletableFuture<R> effect, IdempotencyKey key, @Nullable R result, @Nullable Throwable thrown) {
        if (result != null) {
            effect.complete(result);
        } else if (thrown == null) {
            effect.completeExceptionally(new UnstorableResultException(
                    key, "the work completed with null; return Done.DONE where there is nothing to tell.", null));
        } else {
            Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : null;
            effect.completeExceptionally(cause == null ? thrown : cause);
        }
    }

    private void end(UUID token, @Nullable R result, @Nullable Throwable thrown, CompletableFuture<Outcome<R>> answer) {
        try {
            answer.complete(uninterrupted(() -> result != null
                    ? happened(token, result, false)
                    : threw(token, Objects.requireNonNull(thrown)).orElseGet(() -> overtaken(thrown))));
        } catch (Throwable told) {
            answer.completeExceptionally(told);
        }
    }

    /** The record was no longer this leader's when it wanted to fail it. */
    private Outcome<R> overtaken(Throwable thrown) {
        Optional<IdempotencyRecord> record;
        try {
            record = read();
        } catch (RuntimeException unread) {
            throw nothingLearned(unread);
        }
        return record.map(this::answerFrom).orElseThrow(() -> same(thrown));
    }

    private Outcome<R> answer() {
        boolean settled = false;
        try {
            Optional<Outcome<R>> answer;
            do {
                answer = round();
            } while (answer.isEmpty());
            settled = answer.get().fold(completed -> true, inProgress -> false, rejected -> true, keyReused -> false);
            return answer.get();
        } finally {
            settings.metKeys.add(key);
            rememberIfUnfinished(settled || failureSettled);
        }
    }

    /** Not before the end: while this call goes on, its key is taken by somebody. */
    private void rememberIfUnfinished(boolean settled) {
        if (settled) {
            settings.unfinished.forget(key);
        } else if (mayBePending) {
            settings.unfinished.remember(key, ownTokens());
        }
    }

    private Optional<Outcome<R>> round() {
        Optional<IdempotencyRecord> record = recordIfMet();
        if (record.isPresent()) {
            return follow(record.get());
        }
        return settings.protocol == Protocol.SINGLE_TRANSACTION ? inOneTransaction() : claimThenLead();
    }

    /** Looks before it claims, where there is something to see. The claim decides whatever this does not find. */
    private Optional<IdempotencyRecord> recordIfMet() {
        if (!met || doubt != null) {
            return Optional.empty();
        }
        try {
            Optional<IdempotencyRecord> record = read();
            met = record.isPresent();
            return record;
        } catch (IllegalStateException misuse) {
            throw misuse;
        } catch (RuntimeException | Error unanswered) {
            return Optional.empty();
        }
    }

    /** The same behind others who wanted to claim the key. */
    private Optional<IdempotencyRecord> recordIfClaimed(Session<C> session) {
        if (!session.seemsClaimed()) {
            return Optional.empty();
        }
        try {
            return session.alone(transaction -> transaction.read(key));
        } catch (RuntimeException | Error unanswered) {
            return Optional.empty();
        }
    }

    // ---- leaders -------------------------------------------------------------------------------------------------

    /** CLAIM_FIRST and EXTERNAL: the claim is committed before the work begins. */
    private Optional<Outcome<R>> claimThenLead() {
        boolean external = settings.protocol == Protocol.EXTERNAL;
        UUID token = freshToken();
        Pending pending = new Pending(key, settings.protocol, token, fingerprint, encodedPlan, Duration.ZERO);
        Session<C> session = open(turnWaitLeft());
        mayBePending |= !external;
        try {
            Claim claim;
            try {
                claim = claim(session, pending);
            } catch (RuntimeException | Error thrown) {
                session.close();
                return claimFailed(thrown);
            }
            if (claim instanceof Claim.Leads && !external) {
                // Claim and work share the connection: under load nobody claims what it cannot begin.
                return leadClaimed(session, token, plan);
            }
            session.close();
            return claim instanceof Claim.Follows follows ? follow(follows.record()) : leadExternal(token, plan);
        } finally {
            // Again, where an error struck before a session was closed.
            session.close();
        }
    }

    private Claim claim(Session<C> session, Pending pending) {
        Optional<IdempotencyRecord> record = recordIfClaimed(session);
        if (record.isPresent()) {
            return new Claim.Follows(record.get());
        }
        return settings.protocol == Protocol.EXTERNAL
                ? session.alone(
                        transaction -> transaction.claim(pending, settings.retention, LOCK_WAIT, Durability.DURABLE))
                : session.claimToLead(pending, settings.retention, LOCK_WAIT, Durability.LOST_WITH_WHAT_FOLLOWS);
    }

    /** The claim is a transaction of its own, so only a proven roll-back tells that it did not arrive. */
    private Optional<Outcome<R>> claimFailed(Throwable thrown) {
        Fault fault = store.classify(thrown);
        if (fault == Fault.LOCKED && doubt == null) {
            return busy(Duration.ZERO);
        }
        if (!fault.provesRollback()) {
            inDoubt(thrown);
        } else if (!fault.passing()) {
            throw nothingLearned(thrown);
        }
        return afterPause(thrown);
    }

    private Optional<Outcome<R>> leadClaimed(@Nullable Session<C> session, UUID token, Optional<R> storedPlan) {
        doubt = null;
        tell(listener -> listener.claimed(key));
        return lead(session, token, storedPlan);
    }

    /** The work under a claim that is committed: one transaction that begins with the lock and ends with the mark. */
    private Optional<Outcome<R>> lead(@Nullable Session<C> first, UUID claimed, Optional<R> storedPlan) {
        hasLed = true;
        Run run = new Run(claimed, storedPlan.or(() -> plan), true, storedPlan.isPresent() && plan.isPresent());
        Session<C> ready = first;
        for (int runs = 1; ; runs++) {
            UUID token = run.token;
            End end = run.in(
                    ready,
                    transaction -> transaction
                            .lock(key, LOCK_WAIT)
                            .filter(record -> isPending(record, token))
                            .isPresent());
            roundsStartAnew();
            if (end == End.UNKNOWN) {
                end = arbitrateOwn(run);
                if (end == End.NOT_LEADING) {
                    // What this call returns instead has to be confirmed.
                    inDoubt(run.thrown());
                }
            }
            if (end == End.COMMITTED) {
                return executed(run.result());
            }
            if (end == End.NOT_LEADING) {
                ownFailure = Optional.ofNullable(run.thrown).or(() -> ownFailure);
                return atOnce();
            }
            Throwable thrown = run.thrown();
            if (!runsAgain(thrown, runs)) {
                return fail(run.token, thrown);
            }
            signOfLife(run.token);
            pause(runs);
            ready = null;
        }
    }

    /** SINGLE_TRANSACTION: claim, work and mark commit together or not at all. */
    private Optional<Outcome<R>> inOneTransaction() {
        for (int runs = 1; ; runs++) {
            UUID token = freshToken();
            Run run = new Run(token, plan, plan.isEmpty(), false);
            // With a plan the record is inserted as it will stand; the transaction's atomicity does the rest.
            IdempotencyRecord record = plan.isPresent()
                    ? new Succeeded(key, Protocol.SINGLE_TRANSACTION, token, fingerprint, encodedPlan)
                    : new Pending(
                            key, Protocol.SINGLE_TRANSACTION, token, fingerprint, Optional.empty(), Duration.ZERO);
            Session<C> session = open(claimWait());
            Optional<IdempotencyRecord> present;
            End end;
            try {
                present = recordIfClaimed(session);
                end = present.isPresent()
                        ? End.NOT_LEADING
                        : run.in(
                                session,
                                transaction -> run.leadsAfter(transaction.claim(
                                        record, settings.retention, claimWait(), Durability.DURABLE)));
            } finally {
                // Again, where an error struck before the run closed it.
                session.close();
            }
            if (present.isPresent()) {
                return follow(present.get());
            }
            if (run.led) {
                roundsStartAnew();
                // The insert waited for whatever was in doubt before, and found nothing.
                doubt = null;
                doubtful = null;
                hasLed = true;
                tell(listener -> listener.claimed(key));
            }
            if (end == End.COMMITTED) {
                return executed(run.result());
            }
            if (end == End.NOT_LEADING) {
                return follow(run.found());
            }
            Throwable thrown = run.thrown();
            if (end == End.UNKNOWN) {
                // To claim again waits for the old transaction, and its outcome is then exact.
                inDoubt(thrown);
                doubtful = run.result();
                tell(listener -> listener.commitUnknown(key, thrown));
                return afterPause(thrown);
            }
            if (!run.led) {
                return claimRolledBack(thrown);
            }
            if (!runsAgain(thrown, runs)) {
                return failAfterwards(token, thrown);
            }
            pause(runs);
        }
    }

    /** The claim was part of a transaction that never got as far as its commit. */
    private Optional<Outcome<R>> claimRolledBack(Throwable thrown) {
        Fault fault = store.classify(thrown);
        if (fault == Fault.LOCKED && doubt == null) {
            return busy(Duration.ZERO);
        }
        if (!fault.passing()) {
            throw nothingLearned(thrown);
        }
        return afterPause(thrown);
    }

    /** The work elsewhere. Whatever goes wrong after it began proves nothing, unless it is declared to. */
    private Optional<Outcome<R>> leadExternal(UUID token, Optional<R> storedPlan) {
        doubt = null;
        hasLed = true;
        tell(listener -> listener.claimed(key));
        try {
            R result = perform(elsewhere(), storedPlan.or(() -> plan));
            return Optional.of(happened(token, result, storedPlan.isPresent() && plan.isPresent()));
        } catch (GoesOn goesOn) {
            throw new GoesOn(token);
        } catch (RuntimeException | Error caught) {
            return threw(token, Carried.in(caught));
        }
    }

    private Optional<Outcome<R>> threw(UUID token, Throwable thrown) {
        if (declared(settings.releases, thrown) || declared(settings.noEffect, thrown)) {
            return fail(token, thrown);
        }
        tell(listener -> listener.commitUnknown(key, thrown));
        throw new OutcomeUnknownException(key, "the external work threw, which proves nothing", thrown);
    }

    private Outcome<R> happened(UUID token, R result, boolean planStands) {
        Optional<Payload> payload = planStands ? Optional.empty() : encodeIfPossible(result);
        try {
            if (!settle(
                    transaction -> transaction.succeed(key, token, payload),
                    confirming(record -> isSucceeded(record, token)))) {
                // Somebody healed the record meanwhile, and what it says is the answer for everybody.
                return new Outcome.Executed<>(key, storedResult().orElse(result));
            }
        } catch (RuntimeException | Error thrown) {
            // The effect is there, whatever becomes of the mark: the next call heals.
            return new Outcome.Executed<>(key, result);
        }
        tell(listener -> listener.succeeded(key));
        return new Outcome.Executed<>(key, result);
    }

    /** After proof that nothing was committed: the committed claim becomes {@code Failed}, or is released. */
    private Optional<Outcome<R>> fail(UUID token, Throwable thrown) {
        if (declared(settings.releases, thrown)) {
            return tellFailure(
                    thrown,
                    transaction -> transaction.release(key, token),
                    (transaction, locked) -> locked.isEmpty() && isAbsent(transaction),
                    listener -> listener.released(key));
        }
        Failure failure = describe(thrown);
        return tellFailure(
                thrown,
                transaction -> transaction.fail(key, token, failure),
                confirming(record -> isFailed(record, token)),
                listener -> listener.failed(key, failure));
    }

    /** The same, when the claim was rolled back with the work. A retry that leads in this gap is legal. */
    private Optional<Outcome<R>> failAfterwards(UUID token, Throwable thrown) {
        if (declared(settings.releases, thrown)) {
            failureSettled = true;
            tell(listener -> listener.released(key));
            throw same(thrown);
        }
        Failure failure = describe(thrown);
        Failed failed = new Failed(key, Protocol.SINGLE_TRANSACTION, token, fingerprint, failure);
        return tellFailure(
                thrown,
                transaction -> transaction.claim(failed, settings.retention, LOCK_WAIT, Durability.DURABLE)
                        instanceof Claim.Leads,
                confirming(record -> isFailed(record, token)),
                listener -> listener.failed(key, failure));
    }

    /**
     * Makes a failure durable, and only then tells it, by throwing the same object. When the record is no longer this
     * leader's, it looks again as a follower, with that object attached.
     */
    private Optional<Outcome<R>> tellFailure(
            Throwable thrown,
            Function<StoreTransaction<C>, Boolean> compareAndSet,
            Confirmation<C> confirmation,
            Consumer<IdempotencyListener> event) {
        boolean settled;
        try {
            settled = settle(compareAndSet, confirmation);
        } catch (RuntimeException | Error unsettled) {
            suppress(thrown, unsettled);
            throw new OutcomeUnknownException(
                    key, "the work failed and was rolled back, but this could not be recorded", thrown);
        }
        if (!settled) {
            ownFailure = Optional.of(thrown);
            if (lostAnswer != null) {
                inDoubt(lostAnswer);
            }
            return atOnce();
        }
        failureSettled = true;
        tell(event);
        throw same(thrown);
    }

    // ---- followers -----------------------------------------------------------------------------------------------

    private Optional<Outcome<R>> follow(IdempotencyRecord found) {
        IdempotencyRecord record = found;
        if (isToBeConfirmed(found)) {
            Optional<IdempotencyRecord> confirmed;
            try {
                confirmed = confirmed();
            } catch (RuntimeException | Error thrown) {
                inDoubt(thrown);
                return afterPause(thrown);
            }
            if (confirmed.isEmpty()) {
                return atOnce();
            }
            record = confirmed.get();
        }
        doubt = null;
        return followCertain(record);
    }

    /** Whether a commit of this process, of this call's or of one that has ended, is behind what was read. */
    private boolean isToBeConfirmed(IdempotencyRecord found) {
        return doubt != null
                ? isOwn(found) || isTerminal(found)
                : isTerminal(found) && settings.unfinished.contains(key, found.token());
    }

    /**
     * The record under its lock, after a write: what a read has shown after a doubt, a standby that is promoted may lack.
     */
    private Optional<IdempotencyRecord> confirmed() {
        return inTransaction(transaction ->
                transaction.lock(key, LOCK_WAIT).filter(record -> transaction.confirm(key, record.token())));
    }

    private Optional<Outcome<R>> followCertain(IdempotencyRecord record) {
        met = true;
        boolean own = isOwn(record);
        if (!own && !record.fingerprint().equals(fingerprint) && !former.contains(record.fingerprint())) {
            tell(listener -> listener.keyReused(key));
            return Optional.of(new Outcome.KeyReused<>(key, ownFailure));
        }
        return record.fold(
                pending -> own ? leadOwn(pending) : followPending(pending),
                succeeded -> own ? succeededOwn(succeeded) : Optional.of(replay(succeeded)),
                failed -> Optional.of(reject(failed.failure())));
    }

    /**
     * A single transaction of this call is committed. Where no commit was in doubt, none was sent: the work threw, and
     * yet its claim is committed.
     */
    private Optional<Outcome<R>> succeededOwn(Succeeded succeeded) {
        if (doubtful != null) {
            return executed(doubtful);
        }
        if (succeeded.protocol() == Protocol.SINGLE_TRANSACTION) {
            throw endedByWork(ownFailure.orElse(null));
        }
        return Optional.of(replay(succeeded));
    }

    /** A claim or take-over of this call arrived although its answer was lost. The work has not begun. */
    private Optional<Outcome<R>> leadOwn(Pending pending) {
        return pending.protocol() == Protocol.EXTERNAL
                ? leadExternal(pending.token(), decodePlan(pending))
                : leadClaimed(null, pending.token(), decodePlan(pending));
    }

    private Outcome<R> replay(Succeeded succeeded) {
        R result = resultOf(succeeded);
        tell(listener -> listener.replayed(key));
        return new Outcome.Replayed<>(key, result, ownFailure);
    }

    private Outcome<R> reject(Failure failure) {
        tell(listener -> listener.rejected(key, failure));
        return new Outcome.Rejected<>(key, failure, ownFailure);
    }

    /** Heals if the effect is found; else arbitrates if the leader seems dead; else it may be at work. */
    private Optional<Outcome<R>> followPending(Pending pending) {
        if (settings.lookUp != null) {
            Optional<R> planned = decodePlan(pending);
            Optional<R> found = lookUp(planned);
            if (found.isPresent()) {
                return heal(pending, planned.or(() -> found).get());
            }
        }
        if (isUnfinished(pending)) {
            return arbitrate(pending, true);
        }
        return isAbandoned(pending) ? arbitrate(pending, false) : busy(pending.age());
    }

    /** Whether the attempt is one of this process whose call has ended, so that nobody is at work. */
    private boolean isUnfinished(Pending pending) {
        return pending.protocol() == Protocol.CLAIM_FIRST
                && settings.protocol != Protocol.EXTERNAL
                && settings.unfinished.contains(key, pending.token());
    }

    private Optional<Outcome<R>> heal(Pending pending, R result) {
        Optional<Payload> payload = pending.plan().isPresent() ? Optional.empty() : encodeIfPossible(result);
        Optional<Outcome<R>> healed = Optional.of(new Outcome.Healed<>(key, result, ownFailure));
        Optional<IdempotencyRecord> settled;
        try {
            if (alone(transaction -> transaction.succeed(key, pending.token(), payload))) {
                tell(listener -> listener.healed(key));
                return healed;
            }
            settled = read();
        } catch (RuntimeException | Error thrown) {
            if (settings.protocol == Protocol.EXTERNAL) {
                // The effect is there, whatever becomes of the record: the next call heals.
                return healed;
            }
            // The look-up may have seen what is rolled back. The record's state decides, once it can be written.
            inDoubt(thrown);
            return afterPause(thrown);
        }
        // Settled and purged meanwhile: another claim would lead, and make a second effect.
        return settled.isEmpty() ? healed : settled.get() instanceof Pending ? atOnce() : follow(settled.get());
    }

    /** Only a claim in the store's own database can be arbitrated, whatever this operation's own protocol is. */
    private boolean isAbandoned(Pending pending) {
        return settings.abandoned != Abandoned.LEAVE
                && pending.protocol() == Protocol.CLAIM_FIRST
                && pending.age().compareTo(settings.grace) >= 0;
    }

    /**
     * Settles an abandoned attempt under the record's lock. A commit in flight still holds that lock, so a record that is
     * {@code Pending} under it has no effect, and cannot get one once its token is replaced or it has failed.
     */
    private Optional<Outcome<R>> arbitrate(Pending pending, boolean unfinished) {
        boolean takesOver = unfinished || settings.abandoned == Abandoned.TAKE_OVER;
        Optional<R> storedPlan = takesOver ? decodePlan(pending) : Optional.empty();
        UUID token = pending.token();
        UUID fresh = freshToken();
        mayBePending |= takesOver;
        boolean won;
        try {
            won = inTransaction(transaction -> transaction
                            .lock(key, Duration.ZERO)
                            .filter(record -> isPending(record, token))
                            .filter(record ->
                                    unfinished || record.fold(this::isAbandoned, succeeded -> false, failed -> false))
                            .isPresent()
                    && (takesOver ? transaction.replaceToken(key, token, fresh) : transaction.fail(key, token, GONE)));
        } catch (RuntimeException | Error thrown) {
            return arbitrationFailed(pending, thrown);
        }
        if (!won) {
            return atOnce();
        }
        tell(listener -> listener.arbitrated(key, false));
        if (takesOver) {
            tell(listener -> listener.takenOver(key));
            return lead(null, fresh, storedPlan);
        }
        tell(listener -> listener.failed(key, GONE));
        return Optional.of(reject(GONE));
    }

    private Optional<Outcome<R>> arbitrationFailed(Pending pending, Throwable thrown) {
        if (store.classify(thrown) == Fault.LOCKED) {
            return busy(pending.age());
        }
        inDoubt(thrown);
        return afterPause(thrown);
    }

    /** A leader whose commit was not answered settles its own fate under the record's lock, on a new connection. */
    private End arbitrateOwn(Run run) {
        Throwable lost = run.thrown();
        tell(listener -> listener.commitUnknown(key, lost));
        Patience patience = new Patience(settings.settle);
        do {
            UUID fresh = freshToken();
            try {
                End end = inTransaction(transaction -> transaction
                        .lock(key, LOCK_WAIT)
                        .map(record -> verdict(transaction, record, fresh))
                        .orElse(End.UNKNOWN));
                if (end == End.UNKNOWN) {
                    throw new OutcomeUnknownException(key, "the commit was not answered, and the record is gone", lost);
                }
                if (end == End.ROLLED_BACK) {
                    run.token = fresh;
                }
                tell(listener -> listener.arbitrated(key, end == End.COMMITTED));
                return end;
            } catch (OutcomeUnknownException recordGone) {
                throw recordGone;
            } catch (RuntimeException | Error thrown) {
                suppress(lost, thrown);
            }
        } while (patience.lastsAfterPause());
        throw new OutcomeUnknownException(key, "the commit was not answered, and the record could not be locked", lost);
    }

    private End verdict(StoreTransaction<C> transaction, IdempotencyRecord record, UUID fresh) {
        if (!isOwn(record)) {
            return End.NOT_LEADING;
        }
        return record.fold(
                pending -> transaction.replaceToken(key, pending.token(), fresh) ? End.ROLLED_BACK : End.NOT_LEADING,
                // To write makes it certain: a standby that is promoted may lack what a read shows.
                succeeded -> transaction.confirm(key, succeeded.token()) ? End.COMMITTED : End.NOT_LEADING,
                failed -> End.NOT_LEADING);
    }

    // ---- operators -----------------------------------------------------------------------------------------------

    /** Ends an external attempt on the word of an operator. */
    static <C, R> Optional<Outcome<R>> resolve(
            Settings<C, R> settings, IdempotencyKey key, Optional<R> result, Optional<Failure> failure) {
        if (!key.operation().equals(settings.name)) {
            throw new IllegalArgumentException(key + ": this key is not one of operation " + settings.name + ".");
        }
        return notNested(key, () -> {
            Engine<C, R> engine = new Engine<>(
                    settings, key, Fingerprint.of(), List.of(), result, (handle, unused, plan) -> plan.orElseThrow());
            return engine.uninterrupted(() -> engine.resolve(failure));
        });
    }

    private Optional<Outcome<R>> resolve(Optional<Failure> failure) {
        try {
            Optional<IdempotencyRecord> record = read();
            record.ifPresent(found -> resolve(found, failure));
            return record.isEmpty() ? Optional.empty() : read().map(this::answerFrom);
        } catch (IdempotencyException | IllegalStateException told) {
            throw told;
        } catch (RuntimeException thrown) {
            throw new OutcomeUnknownException(key, "the store could not be asked", thrown);
        }
    }

    private void resolve(IdempotencyRecord record, Optional<Failure> failure) {
        if (record.protocol() != Protocol.EXTERNAL) {
            throw new IllegalStateException(key + ": claimed under " + record.protocol()
                    + ", whose followers settle it themselves; only external attempts are resolved by hand.");
        }
        boolean planned = record.fold(pending -> pending.plan().isPresent(), succeeded -> true, failed -> true);
        boolean changed = settle(
                transaction -> failure.isPresent()
                        ? transaction.fail(key, record.token(), failure.get())
                        : transaction.succeed(key, record.token(), planned ? Optional.empty() : encodedPlan),
                confirming(now -> isTerminal(now) && now.token().equals(record.token())));
        if (changed) {
            tell(listener -> failure.ifPresentOrElse(why -> listener.failed(key, why), () -> listener.healed(key)));
        }
    }

    private Outcome<R> answerFrom(IdempotencyRecord record) {
        return record.fold(
                pending -> new Outcome.InProgress<>(key, pending.age(), ownFailure),
                this::replay,
                failed -> reject(failed.failure()));
    }

    // ---- runs ----------------------------------------------------------------------------------------------------

    private enum End {
        COMMITTED,
        /** The record is somebody else's; nothing of this run is committed. */
        NOT_LEADING,
        /** Nothing of this run is committed. */
        ROLLED_BACK,
        /** The commit was sent and not answered. */
        UNKNOWN
    }

    /** The work in one transaction, once or again, and how it ended last. */
    private final class Run {
        private final Optional<R> planned;
        private final boolean marks;
        private final boolean planStands;
        private UUID token;
        private boolean led;
        private @Nullable R result;
        private @Nullable Throwable thrown;
        private @Nullable IdempotencyRecord found;

        Run(UUID token, Optional<R> planned, boolean marks, boolean planStands) {
            this.token = token;
            this.planned = planned;
            this.marks = marks;
            this.planStands = planStands;
        }

        /** In that session, or one of its own. */
        End in(@Nullable Session<C> ready, Predicate<StoreTransaction<C>> opening) {
            led = false;
            result = null;
            try (Session<C> session = ready != null ? ready : store.open()) {
                End end = session.inTransaction(transaction -> {
                    led = opening.test(transaction);
                    if (!led) {
                        throw new StandDown();
                    }
                    R made = perform(transaction::handle, planned);
                    if (marks) {
                        transaction.succeedLast(
                                key, token, planStands ? Optional.empty() : Optional.of(encode(made)), StandDown::new);
                    } else {
                        transaction.requireSameTransaction(key, StandDown::new);
                    }
                    result = made;
                    return End.COMMITTED;
                });
                session.afterCommitFailure()
                        .ifPresent(failure -> tell(listener -> listener.afterCommitFailed(key, failure)));
                return end;
            } catch (StandDown stoodDown) {
                if (led) {
                    // Nobody else can have changed a record that this transaction had locked or inserted.
                    throw endedByWork(null);
                }
                return End.NOT_LEADING;
            } catch (RuntimeException | Error caught) {
                thrown = Carried.in(caught);
                return result != null && !store.classify(thrown).provesRollback() ? End.UNKNOWN : End.ROLLED_BACK;
            }
        }

        boolean leadsAfter(Claim claim) {
            found = claim instanceof Claim.Follows follows ? follows.record() : null;
            return found == null;
        }

        R result() {
            return present(result);
        }

        Throwable thrown() {
            return present(thrown);
        }

        IdempotencyRecord found() {
            return present(found);
        }

        private <T> T present(@Nullable T part) {
            if (part == null) {
                throw new IllegalStateException(key + ": asked for a part of a run that did not end that way.");
            }
            return part;
        }
    }

    private OutcomeUnknownException endedByWork(@Nullable Throwable thrown) {
        return new OutcomeUnknownException(
                key,
                "the work ended the transaction that it was given, by SQL that the library could not refuse;"
                        + " part of its effect may be committed without its record",
                thrown);
    }

    private boolean runsAgain(Throwable thrown, int runs) {
        boolean again = runs <= settings.retries && store.classify(thrown).passing();
        if (again) {
            tell(listener -> listener.runAgain(key, thrown));
        }
        return again;
    }

    /** A follower waits as long as its caller wants; a leader in doubt until its old transaction has ended. */
    private Duration claimWait() {
        return doubt == null ? lockWaitLeft() : LOCK_WAIT;
    }

    // ---- rounds --------------------------------------------------------------------------------------------------

    private Optional<Outcome<R>> executed(R result) {
        tell(listener -> listener.succeeded(key));
        return Optional.of(new Outcome.Executed<>(key, result));
    }

    /** Another round after a little wait, if the caller wants to wait; else a leader may be at work. */
    private Optional<Outcome<R>> busy(Duration age) {
        if (!waitedALittle()) {
            return Optional.of(inProgress(age));
        }
        rounds = null;
        return Optional.empty();
    }

    private Patience rounds() {
        if (doubt != null) {
            settling = settling == null ? new Patience(settings.settle) : settling;
            return settling;
        }
        rounds = rounds == null ? new Patience() : rounds;
        return rounds;
    }

    /** From now on nothing is returned that a write has not confirmed. */
    private void inDoubt(Throwable because) {
        doubt = because;
    }

    private void roundsStartAnew() {
        if (rounds != null) {
            rounds.startsAnew();
        }
        if (settling != null) {
            settling.startsAnew();
        }
    }

    private Outcome<R> inProgress(Duration age) {
        tell(listener -> listener.inProgress(key, age));
        return new Outcome.InProgress<>(key, age, ownFailure);
    }

    /** Another round at once: the record changed under our eyes. */
    private Optional<Outcome<R>> atOnce() {
        return rounds().lasts() ? Optional.empty() : Optional.of(inProgress(Duration.ZERO));
    }

    /** Another round after a pause: the store did not answer. */
    private Optional<Outcome<R>> afterPause(Throwable because) {
        if (!rounds().lastsAfterPause()) {
            throw nothingLearned(because);
        }
        return Optional.empty();
    }

    /** Opens the session of a claim. Without one nothing was started, unless an earlier round may have. */
    private Session<C> open(Duration patience) {
        for (; ; ) {
            try {
                return store.open(key, patience);
            } catch (IllegalStateException misuse) {
                throw misuse;
            } catch (RuntimeException | Error thrown) {
                if (doubt == null || !rounds().lastsAfterPause()) {
                    throw nothingLearned(thrown);
                }
            }
        }
    }

    private IdempotencyException nothingLearned(Throwable because) {
        if (doubt == null && !hasLed) {
            return new NotStartedException(key, "the store could not be asked", because);
        }
        Throwable cause = doubt != null ? doubt : ownFailure.orElse(because);
        suppress(cause, because);
        return new OutcomeUnknownException(key, "the store could not be asked what became of this attempt", cause);
    }

    // ---- records -------------------------------------------------------------------------------------------------

    private Optional<R> storedResult() {
        try {
            return read().flatMap(record -> record.fold(
                    pending -> Optional.empty(), stored -> Optional.of(resultOf(stored)), f -> Optional.empty()));
        } catch (UndecodableException unreadable) {
            return Optional.empty();
        }
    }

    /** The work of a leader has begun and ends later. */
    private static final class GoesOn extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient @Nullable UUID token;

        GoesOn(@Nullable UUID token) {
            super("The work goes on.", null, false, false);
            this.token = token;
        }

        UUID token() {
            return Objects.requireNonNull(token);
        }
    }

    /** Rolls back a transaction whose record is somebody else's. */
    private static final class StandDown extends RuntimeException {
        private static final long serialVersionUID = 1L;

        StandDown() {
            super("The record is somebody else's.", null, false, false);
        }
    }
}
