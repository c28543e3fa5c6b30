package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.engine.Run.End;
import java.util.Optional;

/**
 * The work in the store's database, run again after what passes. The protocols differ in how a run begins and ends, and in
 * what follows where its commit was not answered, where it was rolled back, and where the record is another call's.
 */
abstract class Leader<C, R> {

    final Call<C, R> call;

    /** What the latest run threw that was not committed. */
    private Optional<Throwable> latest = Optional.empty();

    Leader(Call<C, R> call) {
        this.call = call;
    }

    /** Runs until it is known what comes next. */
    final Next<R> lead() {
        for (int runs = 1; ; runs++) {
            Optional<Next<R>> next = runOnce(runs);
            if (next.isPresent()) {
                return next.get();
            }
            call.waiting.pause(runs);
        }
    }

    /** What follows from a run that has ended, and whose session is closed; nothing if the work is to run again. */
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

    /** Opens a session, runs once in it, and closes it before it looks at the end. */
    abstract Optional<Next<R>> runOnce(int runs);

    /** Nothing of the run is committed. */
    abstract Optional<Next<R>> rolledBack(Run<C, R> run, int runs);

    /** The commit of the run was not answered. */
    abstract Optional<Next<R>> inDoubt(Run<C, R> run, int runs);

    /** The record is another call's. What this call's own work threw before is attached to what it returns. */
    Next<R> superseded(Run<C, R> run) {
        call.suppressedFailure = latest.or(() -> call.suppressedFailure);
        return new Next.RetryNow<>();
    }
}
