package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.engine.BatchRun.WrongResults;
import io.counterpoint.idempotency.engine.BatchTransaction.End;
import io.counterpoint.idempotency.spi.Fault;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Attempts that lead together. An exception of a transaction proves nothing about any of its attempts: the transaction
 * is rolled back, and its parts run in their own transactions. If the work reported which attempt it was working on,
 * the parts are the attempts before it, that attempt, and those after it; otherwise they are two halves. A part of one
 * attempt is executed on its own, which decides its outcome.
 */
final class BatchGroups<C, R> {

    private final BatchExecution<C, R> batch;
    private final Budget budget;

    /** Whether a lock was waited for in vain, and whether the latest attempt that was left in doubt still is. */
    private boolean hasWaited;

    /** Whether the latest attempt that was left in doubt still is. */
    private boolean isUnresolved;

    BatchGroups(BatchExecution<C, R> batch) {
        this.batch = batch;
        this.budget = Budget.withoutDoubt(batch.waiting);
    }

    /** Executes attempts without a record, in order. */
    void execute(List<BatchCall<C, R>> group) {
        Deque<List<BatchCall<C, R>>> parts = new ArrayDeque<>();
        parts.add(group);
        while (!parts.isEmpty()) {
            List<BatchCall<C, R>> part = parts.removeFirst();
            if (part.size() > 1 && !batch.isStoreUnreachable() && !batch.isOver()) {
                List<List<BatchCall<C, R>>> again = executeInOneTransaction(part);
                for (int i = again.size() - 1; i >= 0; i--) {
                    parts.addFirst(again.get(i));
                }
            } else {
                part.forEach(this::executeAlone);
            }
        }
    }

    private void executeAlone(BatchCall<C, R> call) {
        boolean inDoubt = call.isLeftInDoubt();
        if (inDoubt && isUnresolved) {
            // One of them has waited as long as it may.
            call.fail(unanswered(call, call.doubt.because().orElseThrow()));
        } else {
            batch.executeAlone(call, Optional.empty());
            isUnresolved = inDoubt && call.isUnresolved();
        }
    }

    /** Returns the parts that run again. */
    private List<List<BatchCall<C, R>>> executeInOneTransaction(List<BatchCall<C, R>> part) {
        BatchTransaction<C, R> transaction = new BatchTransaction<>(batch, part);
        List<List<BatchCall<C, R>>> again = batch.waiting.interrupts().keptFromStore(() -> runUntilItEnds(transaction));
        transaction.found().forEach(batch::executeAlone);
        return again;
    }

    private List<List<BatchCall<C, R>>> runUntilItEnds(BatchTransaction<C, R> transaction) {
        Budget toSettle = Budget.toSettle(batch.waiting, batch.settings.settleWithin());
        for (; ; ) {
            boolean waitsAnew = transaction.isInDoubt() || (batch.settings.recordLast() && !hasWaited);
            End end = transaction.run(waitsAnew ? Waiting.LOCK_WAIT : batch.waiting.leftForLock());
            // A run that found records for all attempts has written nothing, no matter how it ended.
            if (end == End.COMMITTED || transaction.calls().isEmpty()) {
                transaction.succeed();
                return List.of();
            }
            if (end == End.ENDED_BY_WORK) {
                return failAll(transaction, call -> call.endedByWork(null));
            }
            if (!transaction.isInDoubt()
                    && end == End.ROLLED_BACK
                    && transaction.thrown() instanceof WrongResults wrong) {
                // Smaller parts would encounter the same error in the work, one after the other, in every batch.
                return failAll(transaction, call -> call.refused(wrong));
            }
            if (end == End.SPENT) {
                Throwable thrown = transaction.thrown();
                return failAll(transaction, call -> new NotStartedException(Reason.RUNS_ROLLED_BACK, call.key, thrown));
            }
            if (end == End.PURGED) {
                return failAll(transaction, Call::purgedInDoubt);
            }
            if (end == End.IN_DOUBT && transaction.calls().get(0).isLeftInDoubt()) {
                return transaction.resolvedAlone();
            }
            if (transaction.isInDoubt()) {
                if (!toSettle.isLeftAfterPause()) {
                    Throwable lost = transaction.thrown();
                    return failAll(transaction, call -> unanswered(call, lost));
                }
            } else if (end == End.ROLLED_BACK) {
                hasWaited |= transaction.calls().get(0).store.classify(transaction.thrown()) == Fault.LOCK_TIMEOUT;
                return transaction.parts();
            } else if (!isTriedAgain(transaction)) {
                return batch.isStoreUnreachable() ? List.of(transaction.calls()) : transaction.parts();
            }
        }
    }

    /** Whether to retry the same claims because the store did not reply. */
    private boolean isTriedAgain(BatchTransaction<C, R> transaction) {
        Throwable thrown = transaction.thrown();
        if (transaction.calls().get(0).store.classify(thrown) != Fault.CONNECTION_LOST) {
            return false;
        }
        boolean again = budget.isLeftAfterPause();
        if (!again) {
            batch.storeIsUnreachable(thrown);
        }
        return again;
    }

    private static Throwable unanswered(BatchCall<?, ?> call, Throwable lost) {
        return new OutcomeUnknownException(Reason.COMMIT_UNANSWERED, call.key, lost);
    }

    /** Fails all attempts; nothing runs again. */
    private static <C, R> List<List<BatchCall<C, R>>> failAll(
            BatchTransaction<C, R> transaction, Function<BatchCall<C, R>, Throwable> reason) {
        transaction.calls().forEach(call -> call.fail(reason.apply(call)));
        return List.of();
    }
}
