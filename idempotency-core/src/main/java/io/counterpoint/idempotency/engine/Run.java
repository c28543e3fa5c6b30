package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.UnstorableResultException;
import io.counterpoint.idempotency.engine.Exceptions.Carried;
import io.counterpoint.idempotency.engine.Waiting.Moment;
import io.counterpoint.idempotency.spi.BeforeCommitException;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.StoreException;
import io.counterpoint.idempotency.spi.WorkScope;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One run of the user's work in a transaction, and how it ended. */
final class Run<C, R> {

    /** How a run ended. */
    enum End {
        COMMITTED,
        /**
         * The record belongs to another call, or another node has ended the transaction. Nothing of this run is
         * committed.
         */
        SUPERSEDED,
        /** Nothing of this run is committed. */
        ROLLED_BACK,
        /** The commit was sent, but its reply was lost. */
        IN_DOUBT
    }

    /** The last step before the commit. */
    enum Ending {
        /** The record becomes {@code Succeeded}, with the result. */
        MARK,
        /** The record becomes {@code Succeeded}, with the result if it can be stored: the effect exists either way. */
        MARK_IF_STORABLE,
        /** The record becomes {@code Succeeded} with its existing plan. */
        MARK_AS_PLANNED,
        /** The record was inserted in its final form. */
        CHECK,
        /** The record is inserted. */
        INSERT
    }

    private final Call<C, R> call;
    private final UserCode.Work<C, R> work;
    private final BiFunction<Call<C, R>, @Nullable Throwable, OutcomeUnknownException> endedByWork;
    private final UUID token;
    private final Optional<R> planned;
    private final Ending ending;
    private final long begun;
    private final long begunByWall;
    private boolean unopened;
    private boolean led;
    private boolean worked;
    private @Nullable R result;
    private @Nullable Throwable thrown;

    /**
     * Creates a run of the call's work under a token.
     *
     * @param planned the plan passed to the work
     * @param ending the last step
     */
    Run(Call<C, R> call, UUID token, Optional<R> planned, Ending ending) {
        this(call, call.work, token, planned, ending, Call::endedByWork);
    }

    /** Creates a run of something other than the call's work, with the action to take if that ends its transaction. */
    Run(
            Call<C, R> call,
            UserCode.Work<C, R> work,
            UUID token,
            Optional<R> planned,
            Ending ending,
            BiFunction<Call<C, R>, @Nullable Throwable, OutcomeUnknownException> endedByWork) {
        this.call = call;
        this.work = work;
        this.endedByWork = endedByWork;
        this.token = token;
        this.planned = planned;
        this.ending = ending;
        Moment present = call.waiting.moment();
        this.begun = present.now();
        this.begunByWall = present.wallTime();
    }

    /** Runs in the given session, or in its own, and closes it. The opening returns whether this call leads. */
    End in(@Nullable Session<C> ready, Predicate<RecordSteps> opening) {
        ScopedTransaction<C> transaction = new ScopedTransaction<>(call);
        try (Session<C> session = ready != null ? ready : open()) {
            return transaction.run(session, (steps, scope) -> {
                led = opening.test(steps);
                if (!led) {
                    throw new Superseded();
                }
                Optional<Payload> payload;
                try {
                    payload = work(transaction, scope);
                } catch (RuntimeException | Error failed) {
                    if (transaction.hasEnded(steps, failed)) {
                        throw new Superseded(Carried.in(failed));
                    }
                    throw failed;
                }
                worked = true;
                // Rule 2: no part of the work comes after it.
                if (steps.commitWith(lastStep(payload)) != LastStep.Result.DONE) {
                    throw new Superseded();
                }
                return End.COMMITTED;
            });
        } catch (Superseded superseded) {
            if (led && call.locks().nobodyElseEndsTransaction()) {
                // Rule 3: the work ended its transaction.
                throw endedByWork.apply(call, superseded.getCause());
            }
            return End.SUPERSEDED;
        } catch (RuntimeException | Error caught) {
            worked &= !(caught instanceof BeforeCommitException);
            thrown = Carried.in(caught);
            call.refusedByStore = Optional.of(thrown).filter(this::isOfStore);
            worked &= !transaction.isOutlived();
            return transaction.isInDoubt() ? End.IN_DOUBT : End.ROLLED_BACK;
        }
    }

    /** Before the run leads, any exception comes from the store. At the commit, a participant may throw its own. */
    private boolean isOfStore(Throwable caught) {
        return !led || (worked && caught instanceof StoreException);
    }

    /** A pool that hands out no connection is not a failure of the work, no matter what it throws. */
    private Session<C> open() {
        try {
            return call.store.open(call.key);
        } catch (RuntimeException thrown) {
            unopened = call.store.classify(thrown) == Fault.UNRECOGNISED && !(thrown instanceof MisuseException);
            throw unopened
                    ? new StoreException("The store provided no session for the run", Fault.CONNECTION_LOST, thrown)
                    : thrown;
        }
    }

    /** Does everything before the last step. Returns what that step stores. */
    private Optional<Payload> work(ScopedTransaction<C> transaction, WorkScope<C> scope) {
        call.requireMayRun(scope);
        transaction.enter(scope);
        R made;
        try {
            made = UserCode.run(call, work, scope::handle, planned);
        } catch (UserCode.WithoutResult none) {
            throw new UnstorableResultException(
                    Reason.RESULT_UNSTORABLE, call.key, String.valueOf(none.getMessage()), null);
        }
        scope.beforeEncoding();
        Optional<Payload> payload = stored(made);
        scope.beforeMark();
        result = made;
        return payload;
    }

    private Optional<Payload> stored(R made) {
        return switch (ending) {
            case MARK, INSERT -> Optional.of(call.encode(made));
            case MARK_IF_STORABLE -> call.settings.payloads().encodeIfPossible(call.key, made);
            case MARK_AS_PLANNED, CHECK -> Optional.empty();
        };
    }

    private LastStep lastStep(Optional<Payload> payload) {
        return switch (ending) {
            case MARK, MARK_IF_STORABLE, MARK_AS_PLANNED -> new LastStep.Succeed(call.key, token, payload);
            case CHECK -> new LastStep.RequireNotEnded(call.key);
            case INSERT ->
                new LastStep.Insert(
                        new Succeeded(
                                call.key, Protocol.SINGLE_TRANSACTION, token, call.request.fingerprint(), payload),
                        call.settings.retention(),
                        Waiting.LOCK_WAIT);
        };
    }

    /** Rule 8: whether the work runs again after a rollback, provided that may help. */
    boolean isFollowedByAnother(int runs, boolean mayHelp) {
        Throwable cause = thrown();
        boolean again = Math.max(runs, call.doubt.runs()) <= call.retries() && mayHelp;
        if (again) {
            call.tell(IdempotencyEvent.Retried::new, cause);
        }
        return again;
    }

    /** Whether the run ended because of a transient fault. */
    boolean meetsWhatPasses() {
        Throwable cause = thrown();
        return unopened || call.isExpectedToPass(cause);
    }

    boolean hasLed() {
        return led;
    }

    /** Whether the work had completed, so that the exception is the reply to the last step or the commit. */
    boolean hasWorked() {
        return worked;
    }

    UUID token() {
        return token;
    }

    Moment begun() {
        return new Moment(begun, begunByWall);
    }

    R result() {
        return present(result);
    }

    Throwable thrown() {
        return present(thrown);
    }

    private <T> T present(@Nullable T part) {
        if (part == null) {
            throw new IllegalStateException(call.key + ": a part of a run was requested that did not end that way.");
        }
        return part;
    }

    /** Rolls back a transaction whose record belongs to another call. */
    private static final class Superseded extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Superseded() {
            super("The record belongs to another call.", null, false, false);
        }

        Superseded(Throwable thrown) {
            super("The work ended its transaction.", thrown, true, false);
        }
    }
}
