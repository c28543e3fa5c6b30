package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.UnstorableResultException;
import io.counterpoint.idempotency.engine.BatchRun.WrongResults;
import io.counterpoint.idempotency.engine.Waiting.Moment;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The call of one attempt of a batch: its index and its outcome. On its own it is executed like any other call. */
final class BatchCall<C, R> extends Call<C, R> {

    final int place;
    private @Nullable BatchResult<R> result;

    /** Whether the key was or will be released after an exception of the work. */
    private boolean isReleased;

    BatchCall(
            OperationSettings<C, R> settings,
            int place,
            Request request,
            UserCode.JointWork<C, R> work,
            Waiting waiting) {
        super(
                settings,
                request,
                Optional.empty(),
                (handle, key, plan) -> WrongResults.requireOneEach(1, work.run(handle, List.of(place), unused -> {}))
                        .get(0),
                waiting);
        this.place = place;
    }

    /**
     * The record that it inserts together with others, under its own token. If the result is known, the record is
     * inserted in its final form: nobody sees it before the commit, and no mark has to change it.
     */
    IdempotencyRecord record(Optional<Payload> result) {
        return Claims.withWork(this, tokens.fresh(), result);
    }

    /** Executes it as if it were not part of a batch. */
    void executeAlone(Optional<IdempotencyRecord> known) {
        try {
            result = new BatchResult.Answered<>(execute(known));
        } catch (WrongResults wrong) {
            fail(
                    isReleased
                            ? refused(wrong)
                            : new UnstorableResultException(Reason.RESULT_UNSTORABLE, key, wrong.what(), null));
        } catch (Exception | Error thrown) {
            fail(thrown);
        }
    }

    /** An error in the joint work fails no attempt, unless an earlier run is in doubt. */
    @Override
    boolean releases(Throwable thrown) {
        isReleased = thrown instanceof WrongResults ? doubt.mayRelease() : super.releases(thrown);
        return isReleased;
    }

    /** Completes it after it was committed together with others. */
    void succeed(R made) {
        Environment<C> environment = settings.environment();
        environment.recentKeys().add(key);
        environment.unfinished().forget(key);
        result = new BatchResult.Answered<>(executed(made));
    }

    /** Whether the reply to a commit of its batch was lost and no claim waits for it. */
    boolean isLeftInDoubt() {
        return doubt.exists() && (settings.recordLast() || !locks().resolvesBatchTogether());
    }

    /**
     * Leaves it to resolve that commit by its own commit. Records that are inserted last arrive with the commit, which
     * may be late; the claim of one of their keys is then enough to keep out all of them.
     */
    void leaveInDoubt(R made, Moment runBegun) {
        Throwable lost = doubt.because().orElseThrow();
        doubt.hasRun();
        if (settings.recordLast()) {
            doubt.lateCommitUnanswered(tokens.latest(), made, runBegun, lost);
        } else {
            doubt.commitUnanswered(tokens.latest(), made, runBegun, lost);
        }
    }

    /** Whether the store did not report the outcome of that commit in time. */
    boolean isUnresolved() {
        return result instanceof BatchResult.Thrown<R> ended
                && ended.thrown() instanceof OutcomeUnknownException unknown
                && (unknown.reason() == Reason.DOUBT_UNRESOLVED || unknown.reason() == Reason.COMMIT_UNANSWERED);
    }

    /** Why the store could not be reached, if that has ended it. */
    Optional<Throwable> unreachableStore() {
        return nothingLearned.filter(because -> store.classify(because) == Fault.CONNECTION_LOST);
    }

    /** The key can be used again. */
    NotStartedException refused(WrongResults wrong) {
        tell(IdempotencyEvent.WrongResults::new, wrong);
        return new NotStartedException(Reason.WRONG_RESULTS, key, wrong.what(), null);
    }

    void fail(Throwable thrown) {
        result = new BatchResult.Thrown<>(key, thrown);
    }

    /** Whether it has an outcome, or a commit of it may still arrive. */
    boolean hasBegun() {
        return result != null || doubt.exists();
    }

    /** Fails it because the batch ended before it did. */
    void failIfUnanswered(Throwable thrown) {
        if (result == null) {
            fail(leaving(thrown));
        }
    }

    BatchResult<R> result() {
        if (result == null) {
            throw new IllegalStateException(key + ": an attempt of a batch was left without an outcome.");
        }
        return result;
    }
}
