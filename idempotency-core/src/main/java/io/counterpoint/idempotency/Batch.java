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
 * <p>The returned list has one result for each attempt, in the order of the call. An attempt whose key has a record is
 * answered from it, and the work never sees it. Of several attempts with equal keys, the first is executed, and the
 * others are then answered from its record. Attempts that are {@link Outcome.InProgress} have a leader elsewhere and do
 * not block the others.
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
     * Returns a batch whose work and records commit together. Whatever the operation's own protocol is, no claim is
     * committed before its work, so a dead caller leaves nothing {@code Pending}. Under {@link
     * Operation.Protocol#RECORD_LAST} each record is written once, together with the COMMIT; under the others it is
     * claimed first, and then marked. If the reply to that COMMIT is lost, each attempt claims its key before its work
     * runs again.
     *
     * <p>If the work throws, the transaction is rolled back, and smaller parts of the batch run, each in its own
     * transaction. An exception thrown for several attempts proves nothing about any of them. Only an attempt that
     * failed alone becomes {@code Failed}. So the work may run several times, in one call, for the same attempt.
     *
     * @param <C> the handle
     * @param <R> the result
     * @param operation the operation
     * @return a batch of at most 1,000 attempts, which starts no more of them after 1 minute
     */
    public static <C, R> Batch<C, R> inOneTransaction(Operation<C, R> operation) {
        return new Batch<>(operation, BatchLimits.of(Mode.ONE_TRANSACTION));
    }

    /**
     * Returns a batch whose attempts are executed one after the other, each like {@link Operation#execute}. They share
     * one statement that reads the records of all keys. The work gets one attempt at a time.
     *
     * @param <C> the handle
     * @param <R> the result
     * @param operation the operation
     * @return a batch of at most 1,000 attempts, which starts no more of them after 1 minute
     */
    public static <C, R> Batch<C, R> inOwnTransactions(Operation<C, R> operation) {
        return new Batch<>(operation, BatchLimits.of(Mode.EACH_ITS_OWN));
    }

    /**
     * Sets the maximum number of attempts in a batch.
     *
     * @param attempts from 1 to 10,000
     * @return a new object
     * @throws IllegalArgumentException if out of range
     */
    public Batch<C, R> maxAttempts(int attempts) {
        requireWithin("the maximum number of attempts in a batch", MOST_ATTEMPTS, attempts);
        return new Batch<>(operation, limits.withAttempts(attempts));
    }

    /**
     * Sets the maximum total size of the results stored by one transaction. Larger ones are stored by several
     * transactions.
     *
     * @param bytes from 1 to 1 GiB
     * @return a new object
     * @throws IllegalArgumentException if out of range
     */
    public Batch<C, R> maxTransactionBytes(long bytes) {
        requireWithin("the maximum number of bytes in a batch", MOST_BYTES, bytes);
        return new Batch<>(operation, limits.withResultBytes(bytes));
    }

    /**
     * Sets the time after which a call starts no more transactions. Attempts that have not begun by then end with
     * {@link NotStartedException}. Attempts that have begun are completed, so a call can exceed the limit by its
     * longest transaction.
     *
     * @param time the time
     * @return a new object
     * @throws IllegalArgumentException if not positive or longer than 1 hour
     */
    public Batch<C, R> within(Duration time) {
        if (time.isNegative() || time.isZero() || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("The time limit of a batch must be positive and at most "
                    + Durations.text(LONGEST) + ", found " + Durations.text(time) + ".");
        }
        return new Batch<>(operation, limits.withTime(time));
    }

    /**
     * Executes attempts whose work is done together, for example by one statement for all of them.
     *
     * @param attempts the attempts
     * @param work takes the handle, which refuses to end the transaction, and the attempts to work on, in the order of the
     *     call and never none. Returns their results in the same order, none of them null; {@link Done#DONE} if there
     *     is no result. It may run again, for some of them, after the transaction was rolled back. It throws to roll
     *     back; an attempt fails only if it was passed alone
     * @return one result for each attempt, in their order
     * @throws InvalidBatchException if the whole batch is rejected; nothing was started
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
     * Executes attempts whose work is done one after the other, in the order of the call. An exception identifies the
     * attempt whose work threw it: that attempt then runs alone, and the others run without it.
     *
     * @param attempts the attempts
     * @param work takes the handle, which refuses to end the transaction, and one attempt. Returns its result, not
     *     null; {@link Done#DONE} if there is none. It may run again after the transaction was rolled back. It throws
     *     to roll back; the attempt fails if it also throws when it runs alone
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

    /** A result for its caller, unless the operation has given it before. */
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
