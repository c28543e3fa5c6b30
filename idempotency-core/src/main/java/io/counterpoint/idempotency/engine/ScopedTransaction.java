package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.engine.Exceptions.Carried;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import io.counterpoint.idempotency.spi.WorkScope.End;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** One transaction that contains user code, and the hooks for a framework. */
final class ScopedTransaction<C> {

    private final Call<C, ?> call;
    private @Nullable WorkScope<C> begun;
    private boolean returned;
    private boolean inDoubt;
    private boolean outlived;

    ScopedTransaction(Call<C, ?> call) {
        this.call = call;
    }

    /** Runs the body in a transaction of the given session. What happens after its end does not change the outcome. */
    <T> T run(Session<C> session, BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
        T answer;
        try {
            answer = session.inTransaction((steps, scope) -> {
                T made = body.apply(steps, scope);
                returned = true;
                return made;
            });
        } catch (RuntimeException | Error thrown) {
            outlived = session.isOutlived();
            if (outlived) {
                call.tell(IdempotencyEvent.WorkOutlived::new);
            }
            try {
                inDoubt = (returned || session.commitMayBeSent())
                        && !call.store.classify(thrown).provesRollback();
                ended(inDoubt ? End.UNKNOWN : End.ROLLED_BACK);
            } catch (RuntimeException | Error also) {
                Exceptions.suppress(thrown, also);
            }
            throw thrown;
        }
        session.afterCommitFailure().ifPresent(this::afterCommitFailed);
        try {
            ended(End.COMMITTED);
        } catch (RuntimeException | Error thrown) {
            afterCommitFailed(thrown);
        }
        return answer;
    }

    /** Called before user code; {@link WorkScope#beforeEncoding} follows it. */
    void enter(WorkScope<C> scope) {
        begun = scope;
        scope.beforeWork();
    }

    /**
     * Whether work that threw may have committed part of its effect. If the store cannot be queried, nothing is
     * concluded.
     */
    boolean hasEnded(RecordSteps steps, Throwable failed) {
        try {
            return steps.hasEnded(call.key, Carried.in(failed));
        } catch (RuntimeException | Error unanswered) {
            Exceptions.suppress(failed, unanswered);
            return false;
        }
    }

    /** Whether another thread of the work was still using the connection when the work ended. */
    boolean isOutlived() {
        return outlived;
    }

    /** Whether the commit was sent but its reply was lost. */
    boolean isInDoubt() {
        return inDoubt;
    }

    private void ended(End end) {
        if (begun != null) {
            begun.afterEnd(end);
        }
    }

    private void afterCommitFailed(Throwable thrown) {
        call.tell(IdempotencyEvent.AfterCommitFailed::new, thrown);
    }
}
