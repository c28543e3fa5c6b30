package io.counterpoint.idempotency;

import io.counterpoint.idempotency.Idempotency.CheckReturnValue;
import io.counterpoint.idempotency.InvalidBatchException.Reason;
import io.counterpoint.idempotency.engine.BatchExecution;
import io.counterpoint.idempotency.engine.BatchLimits;
import io.counterpoint.idempotency.engine.BatchLimits.Mode;
import io.counterpoint.idempotency.engine.Request;
import io.counterpoint.idempotency.engine.UserCode.JointWork;
import io.counterpoint.idempotency.function.CheckedBiFunction;
import io.counterpoint.idempotency.internal.CallEffects;
import io.counterpoint.idempotency.internal.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Executes many attempts of one operation at once, each with the guarantees of {@link Operation#execute}. There are two
 * modes: {@link #inOneTransaction} for throughput, and {@link #inOwnTransactions}. Immutable and thread-safe.
 *
 * <pre>{@code
 * Batch<Connection, Receipt> charges = Batch.inOneTransaction(charge).maxAttempts(500);
 * List<BatchResult<Receipt>> results =
 *         charges.executeAll(attempts, (connection, leading) -> insertAll(connection, leading));
 * }</pre>
 *
 * <p>A call returns one result per attempt, in the order of the attempts. An attempt whose key already has a record is
 * answered from that record and never reaches the work. If keys are equal, the first attempt is executed and the others
 * are answered from its record afterwards. Attempts that are {@link Outcome.InProgress} have a leader elsewhere and do
 * not hold up the others.
 *
 * @param <C> the handle that the work gets
 * @param <R> the type of the result
 */
public final class Batch<C, R> {

    private static final int MOST_ATTEMPTS = 10_000;
    private static final long MOST_BYTES = 1L << 30;
    private static final Duration LONGEST = Duration.ofHours(1);

    private final Operation<C, R> operation;
    private final BatchLimits limits;

    private Batch(Operation<C, R> operation, BatchLimits limits) {
        this.operation = operation;
        this.limits = limits;
    }

    /**
     * Returns a batch whose work and records commit together. Regardless of the operation's own protocol, no claim is
     * committed before its work, so a caller that dies leaves nothing {@code Pending}. Under {@link
     * Operation.Protocol#RECORD_LAST} each record is written once, together with the COMMIT; under the other protocols
     * it is claimed first and marked later. If the reply to that COMMIT is lost, each attempt claims its key before its
     * work runs again.
     *
     * <p>If the work throws, the transaction is rolled back and smaller parts of the batch run, each in its own
     * transaction. An exception thrown for several attempts proves nothing about any of them: only an attempt that
     * fails on its own becomes {@code Failed}. The work may therefore run several times for the same attempt within one
     * call.
     *
     * @param <C> the handle
     * @param <R> the result
     * @param operation the operation
     * @return a batch of at most 1,000 attempts that starts nothing more after 1 minute
     */
    public static <C, R> Batch<C, R> inOneTransaction(Operation<C, R> operation) {
        return new Batch<>(operation, BatchLimits.of(Mode.ONE_TRANSACTION));
    }

    /**
     * Returns a batch whose attempts are executed one after the other, each like {@link Operation#execute}. The records
     * of all keys are read by one shared statement. The work receives one attempt at a time.
     *
     * @param <C> the handle
     * @param <R> the result
     * @param operation the operation
     * @return a batch of at most 1,000 attempts that starts nothing more after 1 minute
     */
    public static <C, R> Batch<C, R> inOwnTransactions(Operation<C, R> operation) {
        return new Batch<>(operation, BatchLimits.of(Mode.EACH_ITS_OWN));
    }

    /**
     * Sets the maximum number of attempts in a batch.
     *
     * @param attempts from 1 to 10,000
     * @return a new batch
     * @throws IllegalArgumentException if out of range
     */
    public Batch<C, R> maxAttempts(int attempts) {
        requireWithin("the maximum number of attempts in a batch", MOST_ATTEMPTS, attempts);
        return with(attempts, limits.resultBytes(), limits.time());
    }

    /**
     * Sets the maximum total size of the results stored by one transaction. Larger batches are split into several
     * transactions.
     *
     * @param bytes from 1 to 1 GiB
     * @return a new batch
     * @throws IllegalArgumentException if out of range
     */
    public Batch<C, R> maxTransactionBytes(long bytes) {
        requireWithin("the maximum number of bytes in a batch", MOST_BYTES, bytes);
        return with(limits.attempts(), bytes, limits.time());
    }

    /**
     * Sets the time after which a call starts no more transactions. Attempts that have not begun by then end with
     * {@link NotStartedException}. Work in progress is finished, so a call can exceed this time by its longest
     * transaction.
     *
     * @param time the time
     * @return a new batch
     * @throws IllegalArgumentException if not positive or longer than 1 hour
     */
    public Batch<C, R> within(Duration time) {
        if (time.isNegative() || time.isZero() || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("The time limit of a batch must be positive and at most "
                    + Durations.text(LONGEST) + ", found " + Durations.text(time) + ".");
        }
        return with(limits.attempts(), limits.resultBytes(), time);
    }

    /**
     * Executes attempts whose work is done together, for example by a single statement.
     *
     * @param attempts the attempts
     * @param work takes the handle, which cannot be used to end the transaction, and the attempts to work on: at least
     *     one, in the order of the call. Returns their results in the same order, none of them null; {@link Done#DONE}
     *     where there is no result. It may run again for some of them after a rollback. Throws to roll back; the
     *     attempt has failed only if it was the only one passed
     * @return one result for each attempt, in their order
     * @throws InvalidBatchException if the batch is rejected as a whole; nothing was started
     * @throws IllegalStateException if called inside another call, or inside an open transaction
     */
    @CheckReturnValue
    public List<BatchResult<R>> executeAll(
            List<Attempt> attempts, CheckedBiFunction<C, List<BatchItem>, List<R>, Exception> work) {
        List<BatchItem> items = items(attempts);
        return execute(
                items,
                (handle, leading, begins) -> work.apply(
                        handle.get(), leading.stream().map(items::get).toList()));
    }

    /**
     * Executes attempts whose work is done one after the other, in the order of the call. If the work throws for an
     * attempt, that attempt runs again on its own and the others run without it.
     *
     * @param attempts the attempts
     * @param work takes the handle, which cannot be used to end the transaction, and one attempt. Returns its result,
     *     not null; {@link Done#DONE} where there is none. It may run again after a rollback. Throws to roll back; the
     *     attempt has failed if this also happens when it runs on its own
     * @return one result for each attempt, in their order
     * @throws InvalidBatchException as {@link #executeAll}
     * @throws IllegalStateException as {@link #executeAll}
     */
    @CheckReturnValue
    public List<BatchResult<R>> executeEach(
            List<Attempt> attempts, CheckedBiFunction<C, BatchItem, R, Exception> work) {
        List<BatchItem> items = items(attempts);
        return execute(items, (handle, leading, begins) -> {
            List<R> results = new ArrayList<>(leading.size());
            for (int place : leading) {
                begins.accept(results.size());
                results.add(work.apply(handle.get(), items.get(place)));
            }
            return results;
        });
    }

    private List<BatchResult<R>> execute(List<BatchItem> items, JointWork<C, R> work) {
        List<Request> requests = items.stream()
                .map(item -> item.attempt().requestTo(operation.settings.name()))
                .toList();
        List<CallEffects.Call> calls = items.stream()
                .map(item -> item.attempt().begin(requests.get(item.index())))
                .toList();
        List<BatchResult<R>> results;
        try {
            results = BatchExecution.execute(operation.settings, limits, requests, work);
        } catch (Throwable thrown) {
            calls.forEach(call -> call.ended(thrown));
            throw thrown;
        }
        return items.stream()
                .map(item -> told(calls.get(item.index()), results.get(item.index())))
                .toList();
    }

    /** The result for its caller, unless the operation has already returned one. */
    private static <R> BatchResult<R> told(CallEffects.Call call, BatchResult<R> result) {
        boolean repeated = result.fold(call::ended, thrown -> {
            call.ended(thrown);
            return false;
        });
        return repeated
                ? new BatchResult.Thrown<>(result.key(), new AttemptAlreadyUsedException(result.key()))
                : result;
    }

    private List<BatchItem> items(List<Attempt> attempts) {
        if (attempts.size() > limits.attempts()) {
            throw new InvalidBatchException(
                    Reason.TOO_MANY_ATTEMPTS,
                    "This batch takes at most " + limits.attempts() + " attempts, found " + attempts.size() + ". Pass"
                            + " fewer attempts, or raise maxAttempts.");
        }
        List<BatchItem> items = new ArrayList<>(attempts.size());
        for (Attempt attempt : attempts) {
            if (attempt == null) {
                throw new InvalidBatchException(
                        Reason.NULL_ATTEMPT,
                        "A batch must not contain null, found null at index " + items.size() + ".");
            }
            items.add(new BatchItem(items.size(), attempt));
        }
        return items;
    }

    private Batch<C, R> with(int attempts, long resultBytes, Duration time) {
        return new Batch<>(operation, new BatchLimits(limits.mode(), attempts, resultBytes, time));
    }

    private static void requireWithin(String what, long most, long number) {
        if (number < 1 || number > most) {
            throw new IllegalArgumentException(
                    "Invalid batch option: " + what + " must be between 1 and " + most + ", found " + number + ".");
        }
    }

    @Override
    public String toString() {
        return "Batch[" + operation + ", " + limits + "]";
    }
}
