package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyException.OutcomeUnknownException;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.engine.BatchTransaction.End;
import io.counterpoint.idempotency.engine.BatchWork.WrongResults;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Attempts that lead together. An exception of a transaction proves nothing about any of its attempts: the transaction is
 * rolled back, and its parts run in transactions of their own. Where the work has named the attempt that it was at, the
 * parts are those before it, that one, and those after it; otherwise they are two halves. A part of one attempt is executed
 * alone, which decides what becomes of it.
 */
final class BatchGroups<C, R> {

    private final OperationSettings<C, R> settings;
    private final BatchLimits limits;
    private final BatchCode<C, R> code;
    private final Waiting waiting;
    private final BiConsumer<BatchMember<C, R>, Optional<IdempotencyRecord>> alone;
    private final BooleanSupplier isOver;
    private final Budget budget;

    /** Why the store cannot be reached, once the budget for that is used up. */
    private @Nullable Throwable unreachable;

    BatchGroups(
            OperationSettings<C, R> settings,
            BatchLimits limits,
            BatchCode<C, R> code,
            Waiting waiting,
            BiConsumer<BatchMember<C, R>, Optional<IdempotencyRecord>> alone,
            BooleanSupplier isOver) {
        this.settings = settings;
        this.limits = limits;
        this.code = code;
        this.waiting = waiting;
        this.alone = alone;
        this.isOver = isOver;
        this.budget = Budget.withoutDoubt(waiting);
    }

    /** Executes attempts without a record, in their order. */
    void execute(List<BatchMember<C, R>> group) {
        Deque<List<BatchMember<C, R>>> parts = new ArrayDeque<>();
        parts.add(group);
        while (!parts.isEmpty()) {
            List<BatchMember<C, R>> part = parts.removeFirst();
            if (part.size() > 1 && unreachable == null && !isOver.getAsBoolean()) {
                List<List<BatchMember<C, R>>> again = executeInOneTransaction(part);
                for (int i = again.size() - 1; i >= 0; i--) {
                    parts.addFirst(again.get(i));
                }
            } else {
                part.forEach(this::executeAlone);
            }
        }
    }

    private void executeAlone(BatchMember<C, R> member) {
        Throwable because = unreachable;
        if (because != null) {
            member.fail(member.call.nothingLearned(because));
        } else {
            alone.accept(member, Optional.empty());
        }
    }

    /** Returns the parts that run again. */
    private List<List<BatchMember<C, R>>> executeInOneTransaction(List<BatchMember<C, R>> part) {
        BatchTransaction<C, R> transaction = new BatchTransaction<>(settings, limits, code, part);
        List<List<BatchMember<C, R>>> again = waiting.interrupts().keptFromStore(() -> runUntilItEnds(transaction));
        transaction.found().forEach(alone);
        return again;
    }

    private List<List<BatchMember<C, R>>> runUntilItEnds(BatchTransaction<C, R> transaction) {
        Budget toSettle = Budget.toSettle(waiting, settings.settleWithin());
        while (!transaction.members().isEmpty()) {
            End end = transaction.run(transaction.isInDoubt() ? Waiting.LOCK_WAIT : waiting.leftForLock());
            if (end == End.COMMITTED) {
                transaction.succeed();
                return List.of();
            }
            if (end == End.ENDED_BY_WORK) {
                transaction.members().forEach(member -> member.fail(member.call.endedByWork(null)));
                return List.of();
            }
            if (!transaction.isInDoubt()
                    && end == End.ROLLED_BACK
                    && transaction.thrown() instanceof WrongResults wrong) {
                // Smaller parts would meet the same mistake of the work, one after the other, in every batch.
                failAll(transaction, member -> member.refused(wrong));
                return List.of();
            }
            if (end == End.PURGED) {
                failAll(transaction, member -> member.call.purgedInDoubt());
                return List.of();
            }
            if (end == End.IN_DOUBT && transaction.members().get(0).isLeftInDoubt()) {
                return transaction.settledAlone();
            }
            if (transaction.isInDoubt()) {
                if (!toSettle.isLeftAfterPause()) {
                    failAll(transaction, member -> unsettled(member, transaction.thrown()));
                    return List.of();
                }
            } else if (end == End.ROLLED_BACK) {
                return transaction.parts();
            } else if (!isTriedAgain(transaction)) {
                return unreachable == null ? transaction.parts() : List.of(transaction.members());
            }
        }
        return List.of();
    }

    /** Whether the same claims are tried again, since the store gave no answer to them. */
    private boolean isTriedAgain(BatchTransaction<C, R> transaction) {
        Throwable thrown = transaction.thrown();
        if (transaction.members().get(0).call.store.classify(thrown) != Fault.CONNECTION_LOST) {
            return false;
        }
        boolean again = budget.isLeftAfterPause();
        if (!again) {
            unreachable = thrown;
        }
        return again;
    }

    private static <C, R> void failAll(
            BatchTransaction<C, R> transaction, Function<BatchMember<C, R>, Throwable> reason) {
        new ArrayList<>(transaction.members()).forEach(member -> member.fail(reason.apply(member)));
    }

    private OutcomeUnknownException unsettled(BatchMember<C, R> member, Throwable thrown) {
        return new OutcomeUnknownException(Reason.COMMIT_UNANSWERED, member.call.key, thrown);
    }
}
