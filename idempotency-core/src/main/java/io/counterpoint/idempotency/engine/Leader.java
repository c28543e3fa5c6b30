package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.engine.Run.End;
import java.util.Optional;

/**
 * Runs work in the store's database, and repeats it after transient faults. The protocols differ in how a run begins
 * and ends, and in what follows if the reply to its commit was lost, if it was rolled back, or if the record belongs to
 * another call.
 */
abstract class Leader<C, R> {

    final Call<C, R> call;

    /** What the latest uncommitted run threw. */
    private Optional<Throwable> latest = Optional.empty();

    Leader(Call<C, R> call) {
        this.call = call;
    }

    /** Runs until the next step is known. */
    final Next<R> lead() {
        for (int runs = 1; ; runs++) {
            Optional<Next<R>> next = runOnce(runs);
            if (next.isPresent()) {
                return next.get();
            }
            call.waiting.pause(runs);
        }
    }

    /** What follows from a run that has ended and whose session is closed; empty if the work should run again. */
    final Optional<Next<R>> after(Run<C, R> run, End end, int runs) {
        if (run.hasLed()) {
            call.doubt.hasRun();
        }
        if (end == End.COMMITTED) {
            return Optional.of(new Next.Answer<>(committed(run.result())));
        }
        if (end == End.SUPERSEDED) {
            return Optional.of(superseded(run));
        }
        latest = Optional.of(run.thrown());
        if (end == End.ROLLED_BACK) {
            return rolledBack(run, runs);
        }
        call.tell(IdempotencyEvent.CommitUnknown::new, run.thrown());
        return inDoubt(run, runs);
    }

    /** What the caller gets once a run is committed. */
    Outcome<R> committed(R result) {
        return call.executed(result);
    }

    /** Opens a session, runs once in it, and closes it before evaluating how the run ended. */
    abstract Optional<Next<R>> runOnce(int runs);

    /** Nothing of the run is committed. */
    abstract Optional<Next<R>> rolledBack(Run<C, R> run, int runs);

    /** The reply to the commit of the run was lost. */
    abstract Optional<Next<R>> inDoubt(Run<C, R> run, int runs);

    /** The record belongs to another call. An earlier exception of this call's own work is attached to the outcome. */
    Next<R> superseded(Run<C, R> run) {
        call.suppressedFailure = latest.or(() -> call.suppressedFailure);
        return new Next.RetryNow<>();
    }
}
