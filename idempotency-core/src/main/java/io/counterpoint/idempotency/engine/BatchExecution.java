package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.InvalidBatchException;
import io.counterpoint.idempotency.InvalidBatchException.Reason;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.engine.BatchLimits.Mode;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Executes a batch. The records of all keys are read at once; a key that has one is followed as in any other call. Keys
 * without a record are executed one by one or {@linkplain BatchGroups together}, in the order of the call. Repeated
 * keys are executed last, so that they are answered from the record of their first occurrence.
 */
public final class BatchExecution<C, R> {

    final OperationSettings<C, R> settings;
    final BatchLimits limits;
    final UserCode.JointWork<C, R> work;
    final Waiting waiting;
    private final IdempotencyStore<C> store;
    private final Instant start;
    private final List<BatchCall<C, R>> calls = new ArrayList<>();
    private final Map<IdempotencyKey, BatchCall<C, R>> firsts = new LinkedHashMap<>();
    private final List<BatchCall<C, R>> repeated = new ArrayList<>();
    private final BatchGroups<C, R> groups;

    /** Why the store cannot be reached. From then on no attempt begins. */
    private @Nullable Throwable unreachable;

    /** Whether answers from records cannot be given either, since the store has to be asked for them. */
    private boolean isUnreachableForRecords;

    private boolean hasAnswered;

    private BatchExecution(
            OperationSettings<C, R> settings,
            BatchLimits limits,
            List<Request> requests,
            UserCode.JointWork<C, R> work) {
        this.settings = settings;
        this.limits = limits;
        this.work = work;
        this.store = settings.environment().store();
        this.waiting = settings.waiting(new Interrupts());
        this.start = waiting.now();
        for (Request request : requests) {
            BatchCall<C, R> call = new BatchCall<>(settings, calls.size(), request, work, waiting);
            calls.add(call);
            if (firsts.putIfAbsent(call.key, call) != null) {
                repeated.add(call);
            }
        }
        this.groups = new BatchGroups<>(this);
    }

    /**
     * Executes a batch.
     *
     * @param <C> the handle that domain code gets
     * @param <R> the type of the result
     * @param settings the operation
     * @param limits the mode and the limits
     * @param requests the requests
     * @param work the user's work
     * @return one result for each request, in their order
     */
    public static <C, R> List<BatchResult<R>> execute(
            OperationSettings<C, R> settings,
            BatchLimits limits,
            List<Request> requests,
            UserCode.JointWork<C, R> work) {
        if (requests.isEmpty()) {
            return List.of();
        }
        return Nesting.notNested(requests.get(0).key(), () -> {
            BatchExecution<C, R> batch;
            try {
                batch = new BatchExecution<>(settings.inBatch(limits.mode()), limits, requests, work);
                batch.requireOneDatabase();
            } catch (NotStartedException unreachable) {
                return notStarted(requests, unreachable);
            }
            return batch.run();
        });
    }

    /** The store could not locate the records of one of the keys. */
    private static <R> List<BatchResult<R>> notStarted(List<Request> requests, NotStartedException because) {
        return requests.stream()
                .map(Request::key)
                .<BatchResult<R>>map(key -> new BatchResult.Thrown<>(
                        key, new NotStartedException(IdempotencyException.Reason.SCOPE_UNAVAILABLE, key, because)))
                .toList();
    }

    private void requireOneDatabase() {
        if (!store.isOneDatabase(firsts.keySet())) {
            throw new InvalidBatchException(
                    Reason.SEVERAL_DATABASES,
                    "All keys of a batch must belong to one database. Create one batch per database.");
        }
    }

    /**
     * An exception that ends the batch early is thrown only if nothing has begun. Otherwise it becomes the result of
     * all attempts that have none.
     */
    private List<BatchResult<R>> run() {
        try {
            if (limits.mode() == Mode.EACH_ITS_OWN) {
                executeEachAlone();
            } else {
                executeTogether();
            }
        } catch (RuntimeException thrown) {
            if (calls.stream().noneMatch(BatchCall::hasBegun)) {
                throw thrown;
            }
            calls.forEach(call -> call.failIfUnanswered(thrown));
        }
        return calls.stream().map(BatchCall::result).toList();
    }

    private void executeEachAlone() {
        Map<IdempotencyKey, IdempotencyRecord> known = readAll(firsts.values());
        for (BatchCall<C, R> call : calls) {
            boolean isFirst = firsts.get(call.key) == call;
            executeAlone(call, Optional.ofNullable(known.get(call.key)).filter(r -> isFirst || Tokens.isTerminal(r)));
        }
    }

    private void executeTogether() {
        Map<IdempotencyKey, IdempotencyRecord> known = readAll(firsts.values());
        List<BatchCall<C, R>> group = new ArrayList<>();
        for (BatchCall<C, R> call : firsts.values()) {
            IdempotencyRecord record = known.get(call.key);
            if (record == null) {
                group.add(call);
            } else if (Tokens.isTerminal(record)) {
                executeAlone(call, Optional.of(record));
            } else {
                // It may be taken over, and its work must then run in order.
                groups.execute(group);
                group = new ArrayList<>();
                executeAlone(call, Optional.of(record));
            }
        }
        groups.execute(group);
        Map<IdempotencyKey, IdempotencyRecord> byThen = readAll(repeated);
        for (BatchCall<C, R> call : repeated) {
            executeAlone(call, Optional.ofNullable(byThen.get(call.key)));
        }
    }

    /**
     * Answering from a record takes no time, so it happens regardless of the time limit. So does resolving a commit
     * whose reply was lost.
     */
    void executeAlone(BatchCall<C, R> call, Optional<IdempotencyRecord> known) {
        boolean begins = known.filter(Tokens::isTerminal).isEmpty() && !call.isLeftInDoubt();
        Throwable because = unreachable;
        if (because != null && (begins || isUnreachableForRecords)) {
            call.fail(call.nothingLearned(because));
        } else if (begins && isOver()) {
            call.fail(new NotStartedException(IdempotencyException.Reason.BATCH_OVER, call.key, null));
        } else {
            call.executeAlone(known);
            call.unreachableStore().ifPresent(thrown -> {
                storeIsUnreachable(thrown);
                isUnreachableForRecords |= known.filter(Tokens::isTerminal).isPresent();
            });
        }
    }

    /** Ends the attempts that have not begun. They would wait for the store one after the other, each as long as the first. */
    void storeIsUnreachable(Throwable thrown) {
        unreachable = thrown;
    }

    boolean isStoreUnreachable() {
        return unreachable != null;
    }

    boolean isOver() {
        return Duration.between(start, waiting.now()).compareTo(limits.time()) >= 0;
    }

    /** Reads before it claims. If the store does not reply, the claims decide. */
    Map<IdempotencyKey, IdempotencyRecord> readAll(Collection<BatchCall<C, R>> wanted) {
        List<IdempotencyKey> keys =
                wanted.stream().map(call -> call.key).distinct().toList();
        if (keys.isEmpty() || (unreachable != null && !hasAnswered)) {
            return Map.of();
        }
        return waiting.interrupts().keptFromStore(() -> {
            try (Session<C> session = open(keys.get(0))) {
                Map<IdempotencyKey, IdempotencyRecord> found = session.autoCommit(steps -> steps.readAll(keys));
                hasAnswered = true;
                wanted.forEach(call -> call.probablyRecorded = false);
                return found;
            } catch (RuntimeException | Error unanswered) {
                wanted.iterator().next().requireNoMisuse(unanswered);
                return Map.of();
            }
        });
    }

    /**
     * As in any other call, a store that cannot open the first session is not queried again. A later failure may be a
     * temporary fault.
     */
    private Session<C> open(IdempotencyKey key) {
        try {
            return store.open(key);
        } catch (RuntimeException thrown) {
            Fault fault = store.classify(thrown);
            if (!hasAnswered && (fault == Fault.CONNECTION_LOST || fault == Fault.UNRECOGNISED)) {
                storeIsUnreachable(thrown);
            }
            throw thrown;
        }
    }
}
