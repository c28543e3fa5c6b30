package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyEvent.Details;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation.Abandoned;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.Outcome.Ending;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.RejectedException;
import io.counterpoint.idempotency.internal.Rethrow;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.StoreException;
import io.counterpoint.idempotency.spi.WorkScope;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call: its request, its state, its outcomes and its sessions. It is shared by the parts of the protocol, which
 * make the decisions.
 */
class Call<C, R> {

    final OperationSettings<C, R> settings;
    final IdempotencyStore<C> store;
    final Request request;
    final IdempotencyKey key;
    final Optional<R> plan;
    final Optional<Payload> encodedPlan;
    final UserCode.Work<C, R> work;
    final Tokens tokens = new Tokens();
    final Waiting waiting;
    final Doubt<R> doubt;

    /** How often the work has started, for events. */
    int runs;

    /** When the call began, for events; not read if there is no listener. */
    private final Instant begun;

    /** How many of these runs were external work. */
    int runsOutside;

    /** The result of a known external effect whose follow-up is outstanding. */
    private Optional<R> owedFor = Optional.empty();

    /** The token of that attempt, which changes only once its effect is stored. */
    private @Nullable UUID owedUnder;

    /** Whether the other side has refused permanently and another call has settled the attempt in the meantime. */
    boolean knowsRefusal;

    /** What is left for its follow-up and all that comes after, once that has failed. */
    private @Nullable Budget toFollowUp;

    /** Whether this call only follows a record, and never claims. */
    private boolean followsOnly;

    private boolean runsOnce;

    /** What refused a second run. */
    private @Nullable Throwable refusedRun;

    /** Whether the key probably has a record, so that reading it is cheaper than a failing claim. */
    boolean probablyRecorded;

    /** Whether a takeover of this call may have been stored. The plan of the leader before it may have been used. */
    boolean mayHaveTakenOver;

    /** Whether a connection with a transaction of this call was lost, possibly without the server noticing. */
    boolean mayHaveTurnElsewhere;

    /** The exception that ended the latest run, if it came from the store and not from the work. */
    Optional<Throwable> refusedByStore = Optional.empty();

    /** Why the store has given no answer, if that ends the call. */
    Optional<Throwable> nothingLearned = Optional.empty();

    /** What leaves the call as it is: its record says that the attempt has no effect, or has shown that it is free. */
    private @Nullable Throwable proven;

    /** What this call's own work threw before another leader's outcome was final. */
    Optional<Throwable> suppressedFailure = Optional.empty();

    Call(OperationSettings<C, R> settings, Request request, Optional<R> plan, UserCode.Work<C, R> work) {
        this(settings, request, plan, work, settings.waiting(new Interrupts()));
    }

    /** Creates a call that shares its waits with others, such as those of a batch. */
    Call(
            OperationSettings<C, R> settings,
            Request request,
            Optional<R> plan,
            UserCode.Work<C, R> work,
            Waiting waiting) {
        this.settings = settings;
        this.request = request;
        this.key = request.key();
        this.store = settings.environment().store().storeFor(key);
        this.plan = plan;
        this.encodedPlan = plan.isPresent()
                ? Optional.of(settings.payloads().encode(Reason.PLAN_UNSTORABLE, key, plan.get()))
                : Optional.empty();
        this.work = work;
        this.waiting = waiting;
        this.doubt = new Doubt<>(store, waiting, settings.retention(), settings.settleWithin());
        this.begun = settings.environment().hasListener() ? waiting.now() : Instant.MIN;
        this.probablyRecorded = settings.environment().recentKeys().contains(key);
        settings.environment()
                .definitions()
                .toTell(key.operation())
                .ifPresent(shared -> tell(details -> new IdempotencyEvent.NameShared(details, shared)));
    }

    Interrupts interrupts() {
        return waiting.interrupts();
    }

    Locks locks() {
        return Locks.of(store);
    }

    /** Reports that the claim of this call is committed or continues in a transaction that leads. */
    void claimed() {
        tell(IdempotencyEvent.Claimed::new);
    }

    /**
     * Whether an exception of the work releases the key. A transient one does too if the work may not run again, and so
     * does anything thrown before the work could begin under the claim of this call.
     */
    boolean releases(Throwable thrown) {
        boolean released = settings.userCode().releases(thrown)
                || (runsOnce && passes(thrown))
                || (isOfStore(thrown) && !mayHaveTakenOver && doubt.runs() == 0);
        return released && doubt.mayRelease();
    }

    private boolean isOfStore(Throwable thrown) {
        return refusedByStore.filter(thrown::equals).isPresent();
    }

    private boolean passes(Throwable thrown) {
        return (thrown instanceof NotStartedException && thrown == refusedRun) || isExpectedToPass(thrown);
    }

    /** Whether another run may not encounter the same exception. */
    boolean isExpectedToPass(Throwable thrown) {
        return store.classify(thrown).isTransient() || settings.userCode().runsAgainOn(thrown);
    }

    /** Rule 8: how often the work may run again. */
    int retries() {
        return runsOnce ? 0 : settings.retries();
    }

    /** Whether the work may run only once in this call. */
    boolean runsOnce() {
        return runsOnce;
    }

    /** Called before each run of the work in a transaction. */
    void requireMayRun(WorkScope<C> scope) {
        runsOnce = !scope.mayRunAgain();
        if (runsOnce && runs > runsOutside) {
            NotStartedException refused = new NotStartedException(
                    Reason.RUNS_ROLLED_BACK,
                    key,
                    "objects changed by the work outlive its transaction, such as the entities of a session that"
                            + " stays open around the call, so the work is not run again",
                    null);
            refusedRun = refused;
            throw refused;
        }
    }

    // ---- an external effect with a follow-up -------------------------------------------------------------------

    /**
     * Records that the effect of the attempt under that token exists. From now on this call claims nothing and denies
     * nothing.
     */
    void effectIsKnown(R result, UUID token) {
        owedFor = Optional.of(result);
        owedUnder = token;
    }

    /** Whether the known effect belongs to another attempt, whose record has ended and was purged or released. */
    boolean knowsEffectOfAnother(UUID token) {
        return knowsEffect() && !token.equals(owedUnder);
    }

    boolean knowsEffect() {
        return owedFor.isPresent();
    }

    /** The result of this leader's own work. */
    Optional<R> ownEffect() {
        return doubt.hasLed() ? owedFor : Optional.empty();
    }

    /** What is left for everything that the follow-up still does. Its time begins with the first failure. */
    Budget budgetOfFollowUp() {
        toFollowUp = toFollowUp == null ? toSettle().begun() : toFollowUp;
        return toFollowUp;
    }

    /** An operator's call, which ends what is there. */
    void followOnly() {
        followsOnly = true;
    }

    boolean mayNotClaim() {
        return knowsEffect() || followsOnly;
    }

    // ---- how long it takes -----------------------------------------------------------------------------------------

    /** Of a write of its own that was not answered. */
    Budget toSettle() {
        return Budget.toSettle(waiting, settings.settleWithin());
    }

    /** What is left for the store to answer. */
    Budget budget() {
        return toFollowUp != null ? toFollowUp : doubt.budget();
    }

    /** After a wait that the caller wanted. */
    void renewBudget() {
        toFollowUp = null;
        doubt.renewBudget();
    }

    // ---- what leaves it ------------------------------------------------------------------------------------------

    /**
     * Executes the call on its caller's thread. Only proven outcomes leave it.
     *
     * @param known a record that was read for this call, if there was one
     */
    Outcome<R> execute(Optional<IdempotencyRecord> known) {
        return bounded(() -> new Engine<>(this).answer(known));
    }

    /** Runs a part of the call in the same way. */
    <T> T bounded(Supplier<? extends T> part) {
        return interrupts().keptFromStore(() -> {
            try {
                return part.get();
            } catch (Throwable thrown) {
                interrupts().note(thrown.getCause());
                throw Rethrow.unchanged(leaving(thrown));
            }
        });
    }

    /**
     * Returns what the caller gets for an exception. It claims that there is no effect only if that is proven. An error
     * leaves as is, even if it was wrapped on its way.
     */
    Throwable leaving(Throwable thrown) {
        if (thrown == proven || thrown instanceof Error) {
            return thrown;
        }
        if ((thrown instanceof OutcomeUnknownException || thrown instanceof NotStartedException)
                && thrown.getCause() instanceof Error error) {
            Exceptions.suppress(error, thrown);
            return error;
        }
        boolean deniesEffect = !(thrown instanceof IdempotencyException known)
                || known.reason().effect() == IdempotencyException.Effect.NONE;
        if (deniesEffect && knowsEffect()) {
            return owed(thrown);
        }
        if (!deniesEffect || !doubt.exists()) {
            return thrown;
        }
        doubt.because().ifPresent(lost -> Exceptions.suppress(thrown, lost));
        return new OutcomeUnknownException(Reason.DOUBT_UNRESOLVED, key, thrown);
    }

    /**
     * Ends an attempt that is proven to have no effect. Throws what its caller gets: misuse, an error and the work's own
     * exception as is.
     */
    RuntimeException endWith(Throwable thrown, Optional<Failure> stored) {
        doubt.attemptEnded();
        boolean isAsIs = thrown instanceof Error || thrown instanceof MisuseException || !isOfStore(thrown);
        proven = isAsIs ? thrown : refused(thrown, stored);
        throw Rethrow.unchanged(proven);
    }

    private IdempotencyException refused(Throwable thrown, Optional<Failure> stored) {
        StoreException refused = thrown instanceof StoreException ofStore
                ? ofStore
                : new StoreException("The store began no transaction for the work", store.classify(thrown), thrown);
        String what = doubt.runs() == 0 ? "the work could not begin" : "the database refused to commit";
        return stored.<IdempotencyException>map(failure -> new RejectedException(key, failure, refused))
                .orElseGet(() -> new NotStartedException(
                        Reason.RUNS_ROLLED_BACK,
                        key,
                        what + ", and the key was released: " + refused.getMessage(),
                        refused));
    }

    /** Misuse ends a call at once, unless the call first has to resolve one of its own writes. */
    void requireNoMisuse(Throwable thrown) {
        if (thrown instanceof MisuseException misuse && !doubt.exists()) {
            throw misuse;
        }
    }

    // ---- outcomes ------------------------------------------------------------------------------------------------

    Outcome<R> executed(R result) {
        tell(IdempotencyEvent.Succeeded::new);
        return new Outcome.Executed<>(key, result);
    }

    Outcome<R> replayed(R result) {
        if (knowsEffect() && doubt.hasLed()) {
            // Another call ran the follow-up of this leader's work.
            return withSuppressedFailure(new Outcome.Executed<>(key, result));
        }
        tell(IdempotencyEvent.Replayed::new);
        return withSuppressedFailure(new Outcome.Replayed<>(key, result));
    }

    Outcome<R> rejected(Failure failure) {
        if (knowsEffect()) {
            throw failedWithEffect(null);
        }
        tell(details -> new IdempotencyEvent.Rejected(details, failure));
        return withSuppressedFailure(new Outcome.Rejected<>(key, failure));
    }

    /** Another caller holds or held the key. */
    Outcome<R> inProgress(Optional<Pending> seen) {
        Duration age = seen.map(Pending::age).orElse(Duration.ZERO);
        boolean unclaimed = seen.isEmpty() && settings.protocol() == Protocol.SINGLE_TRANSACTION;
        Ending ending = unclaimed
                ? Ending.LATER_CALL
                : endingOf(seen.map(Pending::protocol).orElse(settings.protocol()));
        tell(details -> new IdempotencyEvent.InProgress(details, age));
        return withSuppressedFailure(new Outcome.InProgress<>(key, age, ending));
    }

    /**
     * Only a claim in the store's own database can be settled by later calls, regardless of this operation's own
     * protocol.
     */
    Ending endingOf(Protocol claimed) {
        return claimed == Protocol.CLAIM_FIRST && settings.abandoned() != Abandoned.LEAVE
                ? Ending.LATER_CALL
                : Ending.NEEDS_OPERATOR;
    }

    Outcome<R> keyReused() {
        if (knowsEffect()) {
            throw recordGone();
        }
        tell(IdempotencyEvent.KeyReused::new);
        return withSuppressedFailure(new Outcome.KeyReused<>(key));
    }

    /** The effect is found; the event follows once the record is updated. */
    Outcome<R> healed(R result) {
        return withSuppressedFailure(new Outcome.Healed<>(key, result));
    }

    private Outcome<R> withSuppressedFailure(Outcome<R> outcome) {
        return suppressedFailure.map(outcome::withSuppressedFailure).orElse(outcome);
    }

    IdempotencyException nothingLearned(Throwable because) {
        nothingLearned = Optional.of(because);
        if (knowsEffect()) {
            return owed(because);
        }
        if (store.classify(because) == Fault.RECORD_UNREADABLE) {
            return new OutcomeUnknownException(Reason.RECORD_UNREADABLE, key, because);
        }
        if (doubt.nothingStarted()) {
            return store.remedy(because)
                    .map(remedy -> new NotStartedException(Reason.STORE_UNFIT, key, remedy, because))
                    .orElseGet(() -> new NotStartedException(Reason.STORE_UNREACHABLE, key, because));
        }
        Throwable cause = doubt.because().or(() -> suppressedFailure).orElse(because);
        Exceptions.suppress(cause, because);
        return new OutcomeUnknownException(Reason.DOUBT_UNRESOLVED, key, cause);
    }

    /** The effect is known, but its follow-up is not committed, or not known to be. */
    OutcomeUnknownException owed(@Nullable Throwable cause) {
        OutcomeUnknownException owed = new OutcomeUnknownException(Reason.FOLLOW_UP_OWED, key, cause);
        tell(IdempotencyEvent.FollowUpOwed::new, owed);
        return owed;
    }

    OutcomeUnknownException purgedInDoubt() {
        return new WaitForOperator<>(this)
                .leave(
                        Reason.RECORD_GONE,
                        "the reply to COMMIT was lost, and its record may have been purged since",
                        doubt.because().orElse(null));
    }

    OutcomeUnknownException endedByWork(@Nullable Throwable thrown) {
        return new WaitForOperator<>(this)
                .leave(
                        Reason.ENDED_BY_WORK,
                        "the work ended the transaction it was given, by SQL that the library could not refuse, left"
                                + " its connection unusable, or changed its own record; part of its effect may be"
                                + " committed without its record",
                        thrown);
    }

    /** The record says that the attempt has no effect, but it does. Retries are answered from the record. */
    OutcomeUnknownException failedWithEffect(@Nullable Throwable cause) {
        return told(new OutcomeUnknownException(Reason.FAILED_WITH_EFFECT, key, cause));
    }

    /**
     * An external effect exists, but its record no longer belongs to this attempt: a retry of this request would lead
     * again.
     */
    OutcomeUnknownException recordGone() {
        return told(new OutcomeUnknownException(
                Reason.RECORD_GONE,
                key,
                "the request took effect, but its record is gone or belongs to a different request",
                null));
    }

    private OutcomeUnknownException told(OutcomeUnknownException unresolved) {
        tell(IdempotencyEvent.Unresolved::new, unresolved);
        return unresolved;
    }

    /** Notifies the listener, if there is one. */
    void tell(Function<? super Details, ? extends IdempotencyEvent> event) {
        tell(event, null);
    }

    /** Notifies the listener, including the exception. */
    void tell(Function<? super Details, ? extends IdempotencyEvent> event, @Nullable Throwable cause) {
        Environment<C> environment = settings.environment();
        if (environment.hasListener()) {
            try {
                Duration elapsed = Duration.between(begun, waiting.now());
                environment
                        .listener()
                        .onEvent(event.apply(new Details(key, runs, elapsed, Optional.ofNullable(cause))));
            } catch (Throwable ignored) {
                // A listener cannot change an outcome. Listeners written in Kotlin can throw checked exceptions too.
                interrupts().note(ignored);
            }
        }
    }

    // ---- results -------------------------------------------------------------------------------------------------

    Payload encode(R result) {
        return settings.payloads().encode(Reason.RESULT_UNSTORABLE, key, result);
    }

    Optional<R> decodePlan(Pending pending) {
        return settings.payloads().decodePlan(key, pending);
    }

    // ---- sessions ------------------------------------------------------------------------------------------------

    /** Runs one writing step in its own session and transaction. */
    <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
        return write(session -> session.autoCommit(step));
    }

    /** Runs several writing steps in their own session and transaction. */
    <T> T inTransaction(Function<? super RecordSteps, ? extends T> body) {
        return write(session -> session.inTransaction((steps, unused) -> body.apply(steps)));
    }

    /** An exception that does not prove a rollback leaves the write in doubt. */
    private <T> T write(Function<? super Session<C>, ? extends T> body) {
        try (Session<C> session = store.open(key)) {
            return body.apply(session);
        } catch (RuntimeException | Error thrown) {
            if (!store.classify(thrown).provesRollback()) {
                doubt.unanswered(thrown);
            }
            throw thrown;
        }
    }

    Optional<IdempotencyRecord> read() {
        return store.read(key);
    }
}
