package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.engine.Exceptions.Carried;
import io.counterpoint.idempotency.engine.Waiting.Moment;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.LastStep.Success;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Claims, work and marks of several attempts in one transaction that may run again, and how its latest run ended.
 *
 * <p>A commit whose reply was lost is resolved by the next run, for each key from its own record. The claims of that
 * run wait for the old transaction and then find the records of either all attempts or none, because the transaction
 * was committed or rolled back as a whole.
 */
final class BatchTransaction<C, R> {

    /** How a run ended. */
    enum End {
        /** Everything is committed, either of this run or of the earlier run that was in doubt. */
        COMMITTED,
        /** The work ended the transaction that it was given. */
        ENDED_BY_WORK,
        /**
         * The claims found nothing from the earlier run that was in doubt, whose records may have been purged by now.
         */
        PURGED,
        /** The claims lead, but the work has run as often as it may. Nothing of this run is committed. */
        SPENT,
        /** The claims failed. The work has not begun, and nothing of this run is committed. */
        NOT_LED,
        /** Nothing of this run is committed. */
        ROLLED_BACK,
        /** The commit was sent, but its reply was lost. */
        IN_DOUBT
    }

    private final BatchExecution<C, R> batch;

    /** The attempts without a record of another caller, in the order of the call. */
    private List<BatchCall<C, R>> calls;

    private final Map<BatchCall<C, R>, Optional<IdempotencyRecord>> found = new LinkedHashMap<>();

    /** The latest run that led. */
    private BatchRun<C, R> latest;

    private boolean led;

    /** When the latest run that led began, if the reply to its commit was lost. */
    private @Nullable Moment inDoubtSince;

    /** The number of commits whose reply was lost. */
    private int lostCommits;

    private @Nullable Throwable thrown;

    BatchTransaction(BatchExecution<C, R> batch, List<BatchCall<C, R>> calls) {
        this.batch = batch;
        this.calls = List.copyOf(calls);
        this.latest = newRun();
    }

    /** Runs once. Takes no in-memory turn for any key while it holds its connection. */
    End run(Duration lockWait) {
        led = false;
        Moment begun = calls.get(0).waiting.moment();
        End end = runOnce(lockWait);
        if (led && !batch.settings.recordLast()) {
            // The claims waited for whatever was in doubt, and found nothing of it.
            inDoubtSince = null;
            calls.forEach(call -> {
                call.doubt.decided();
                call.claimed();
            });
        }
        if (end == End.SPENT) {
            calls.forEach(call -> call.doubt.decided());
        }
        if (end == End.ROLLED_BACK && batch.settings.recordLast()) {
            // The cause of the rejection proves nothing: the records do.
            leaveToOthers(batch.readAll(calls));
        }
        if (end == End.IN_DOUBT) {
            inDoubtSince = begun;
            lostCommits++;
            Throwable lost = thrown();
            for (BatchCall<C, R> call : calls) {
                call.doubt.unanswered(lost);
                call.tell(IdempotencyEvent.CommitUnknown::new, lost);
            }
        }
        return end;
    }

    private End runOnce(Duration lockWait) {
        Call<C, R> first = calls.get(0);
        ScopedTransaction<C> transaction = new ScopedTransaction<>(first);
        try (Session<C> session = first.store.open(first.key)) {
            return transaction.run(session, (steps, scope) -> {
                if (batch.settings.recordLast()) {
                    steps.beginUnclaimed(first.key);
                    lead(transaction, steps, scope, lockWait);
                } else if (!wasCommitted(steps, claimAll(steps, lockWait)) && !calls.isEmpty()) {
                    if (inDoubtSince != null && first.waiting.hasPassed(batch.settings.retention(), inDoubtSince)) {
                        throw new RolledBack(End.PURGED);
                    }
                    if (lostCommits > first.retries()) {
                        throw new RolledBack(End.SPENT);
                    }
                    lead(transaction, steps, scope, lockWait);
                }
                return End.COMMITTED;
            });
        } catch (RolledBack rolledBack) {
            if (rolledBack.end == End.SPENT) {
                return End.SPENT;
            }
            thrown = rolledBack;
            // If locks are local, another node may have ended it.
            return led && !first.locks().nobodyElseEndsTransaction() ? End.ROLLED_BACK : rolledBack.end;
        } catch (RuntimeException | Error caught) {
            if (isInDoubt() && !led) {
                Exceptions.suppress(thrown(), caught);
            } else {
                thrown = Carried.in(caught);
            }
            return !led ? End.NOT_LED : transaction.isInDoubt() ? End.IN_DOUBT : End.ROLLED_BACK;
        }
    }

    private void lead(ScopedTransaction<C> transaction, RecordSteps steps, WorkScope<C> scope, Duration lockWait) {
        led = true;
        latest = newRun();
        List<Payload> payloads;
        try {
            calls.forEach(call -> call.requireMayRun(scope));
            transaction.enter(scope);
            latest.run(scope::handle);
            scope.beforeEncoding();
            payloads = latest.payloads();
            scope.beforeMark();
        } catch (RuntimeException | Error failed) {
            if (transaction.hasEnded(steps, failed)) {
                throw new RolledBack(End.ENDED_BY_WORK);
            }
            throw failed;
        }
        if (steps.commitWith(lastStep(payloads, lockWait)) != LastStep.Result.DONE) {
            throw new RolledBack(End.ENDED_BY_WORK);
        }
    }

    /** In key order, which all callers share, not in the order of the call. */
    private LastStep lastStep(List<Payload> payloads, Duration lockWait) {
        if (batch.settings.recordLast()) {
            return new LastStep.InsertAll(
                    inOrder(IdempotencyRecord::key, place -> calls.get(place).record(Optional.of(payloads.get(place)))),
                    batch.settings.retention(),
                    lockWait);
        }
        if (batch.settings.payloads().known().isPresent()) {
            return new LastStep.RequireNotEnded(calls.get(0).key);
        }
        return new LastStep.SucceedAll(inOrder(Success::key, place -> {
            BatchCall<C, R> call = calls.get(place);
            return new Success(call.key, call.tokens.latest(), payloads.get(place));
        }));
    }

    private <T> List<T> inOrder(Function<T, IdempotencyKey> key, IntFunction<T> ofPlace) {
        return IntStream.range(0, calls.size())
                .mapToObj(ofPlace)
                .sorted(Comparator.comparing(key))
                .toList();
    }

    private BatchRun<C, R> newRun() {
        return new BatchRun<>(batch.work, batch.limits.resultBytes(), calls);
    }

    // ---- claims --------------------------------------------------------------------------------------------------

    /** Claims in the order in which all callers lock, not in the order of the call. */
    private Map<IdempotencyKey, IdempotencyRecord> claimAll(RecordSteps steps, Duration lockWait) {
        Optional<Payload> known = batch.settings.payloads().known();
        List<IdempotencyRecord> records =
                inOrder(IdempotencyRecord::key, place -> calls.get(place).record(known));
        return steps.claimAll(records, batch.settings.retention(), lockWait);
    }

    /** Classifies what the claims found. Returns whether an earlier run whose commit was in doubt was committed. */
    private boolean wasCommitted(RecordSteps steps, Map<IdempotencyKey, IdempotencyRecord> records) {
        List<IdempotencyRecord> own = calls.stream()
                .flatMap(call -> Optional.ofNullable(records.get(call.key)).filter(call.tokens::isOwn).stream())
                .toList();
        if (own.isEmpty()) {
            leaveToOthers(records);
            return false;
        }
        boolean allSucceeded = own.stream().allMatch(record -> Tokens.isSucceeded(record, record.token()));
        // A single write in the same history makes all of them certain.
        if (!isInDoubt()
                || own.size() != calls.size()
                || !allSucceeded
                || !steps.confirm(own.get(0).key(), own.get(0).token())) {
            throw new RolledBack(End.ENDED_BY_WORK);
        }
        return true;
    }

    /** Leaves attempts whose key has another caller's record to be answered from it. */
    private void leaveToOthers(Map<IdempotencyKey, IdempotencyRecord> records) {
        List<BatchCall<C, R>> leading = new ArrayList<>();
        for (BatchCall<C, R> call : calls) {
            IdempotencyRecord record = records.get(call.key);
            if (record == null) {
                leading.add(call);
            } else {
                found.put(call, Optional.of(record));
            }
        }
        calls = leading;
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    /** Lets each attempt determine the outcome of the latest run by its own commit. */
    List<List<BatchCall<C, R>>> resolvedAlone() {
        latest.leaveInDoubt(Objects.requireNonNull(inDoubtSince));
        return calls.stream().map(List::of).toList();
    }

    /** Completes the attempts, which are committed. */
    void succeed() {
        if (!calls.isEmpty()) {
            latest.succeed();
        }
    }

    /** Whether the reply to the commit of the latest run that led was lost. */
    boolean isInDoubt() {
        return inDoubtSince != null;
    }

    /** The attempts that are not answered from other callers' records. */
    List<BatchCall<C, R>> calls() {
        return calls;
    }

    /** The attempts whose key had another caller's record by then. */
    Map<BatchCall<C, R>, Optional<IdempotencyRecord>> found() {
        return found;
    }

    Throwable thrown() {
        if (thrown == null) {
            throw new IllegalStateException(
                    "The exception of a transaction was requested, but the transaction did not fail.");
        }
        return thrown;
    }

    /**
     * The parts that run again after a rollback, each in its own transaction; all attempts at once if other callers'
     * records may be the cause.
     */
    List<List<BatchCall<C, R>>> parts() {
        Throwable cause = thrown();
        if (led) {
            calls.forEach(call -> call.tell(IdempotencyEvent.Retried::new, cause));
        }
        if (led && !latest.isOf(calls)) {
            return List.of(calls);
        }
        return (led ? latest : newRun()).parts();
    }

    /** Rolls back what this run has done so far. */
    private static final class RolledBack extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient End end;

        RolledBack(End end) {
            super(end.name(), null, false, false);
            this.end = end;
        }
    }
}
