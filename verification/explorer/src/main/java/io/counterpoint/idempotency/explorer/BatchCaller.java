package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchItem;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.explorer.BatchServer.Open;
import io.counterpoint.idempotency.function.CheckedBiFunction;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A process that makes one call with a batch. */
final class BatchCaller extends Actor<BatchSchedule> implements IdempotencyClock {

    private static final int RETRIES = 2;
    private static final Duration SLEEP = Duration.ofSeconds(3);

    private final Map<IdempotencyKey, List<String>> values = new TreeMap<>();

    private List<String> names = List.of();
    private int sleeps;

    BatchCaller(int index) {
        super(index);
    }

    /** Before a call with these keys. */
    void prepare(BatchSchedule next, List<String> keys) {
        names = keys;
        prepare(next);
    }

    @Override
    void reset() {
        super.reset();
        sleeps = 0;
        values.clear();
    }

    /** The results that its work has made for this key. */
    List<String> values(IdempotencyKey key) {
        return values.getOrDefault(key, List.of());
    }

    List<String> keys() {
        return names;
    }

    String state() {
        return (isOver() ? "over" : "") + (isDead() ? "dead" : "") + sleeps + history();
    }

    // ---- the thread ----------------------------------------------------------------------------------------------

    @Override
    void act(BatchSchedule now) {
        try {
            List<? extends BatchResult<?>> answers = now.scenario().answers().apply(execute(now));
            if (!isGone()) {
                now.promises().returned(this, answers);
            }
        } catch (RuntimeException | Error failure) {
            if (!isGone()) {
                now.promises().breaks(this + ": the batch threw " + failure);
            }
        }
    }

    private List<? extends BatchResult<?>> execute(BatchSchedule now) {
        Idempotency<Open> idempotency = Idempotency.builder(
                        now.scenario().above().apply(index(), new BatchStore(this)))
                .clock(this)
                .build();
        return now.scenario().withResults()
                ? execute(now, idempotency.operation(BatchPromises.OPERATION, ResultCodec.string()), this::work)
                : execute(
                        now,
                        idempotency.operation(BatchPromises.OPERATION),
                        (transaction, leading) ->
                                Collections.nCopies(work(transaction, leading).size(), Done.DONE));
    }

    private <R> List<BatchResult<R>> execute(
            BatchSchedule now,
            Operation.Builder<Open, R> builder,
            CheckedBiFunction<Open, List<BatchItem>, List<R>, Exception> work) {
        boolean together = now.scenario().together();
        builder.retention(Configuration.RETENTION).retries(RETRIES);
        if (now.scenario().overNodes()) {
            builder.releaseOn(thrown -> thrown instanceof WorkFailed);
        }
        Operation<Open, R> operation = together
                ? builder.protocol(Operation.Protocol.SINGLE_TRANSACTION).build()
                : builder.whenAbandoned(Operation.Abandoned.FAIL, Configuration.GRACE)
                        .build();
        Batch<Open, R> batch = together ? Batch.inOneTransaction(operation) : Batch.eachItsOwn(operation);
        List<Attempt> attempts = names.stream()
                .map(name -> Attempt.in(BatchPromises.SCOPE).key(name).request("request"))
                .toList();
        return batch.executeAll(attempts, work);
    }

    /** Writes an effect for each, and then throws if one of them is poison. */
    private List<String> work(Open transaction, List<BatchItem> leading) {
        List<String> results = new ArrayList<>();
        for (BatchItem one : leading) {
            IdempotencyKey key = BatchPromises.key(names.get(one.index()));
            String value = schedule().names().freshValue();
            values.computeIfAbsent(key, unused -> new ArrayList<>()).add(value);
            transaction.writeEffect(key, value);
            results.add(value);
        }
        Optional<String> poison = leading.stream()
                .map(one -> names.get(one.index()))
                .filter(this::isPoison)
                .findFirst();
        if (poison.isPresent()) {
            throw new WorkFailed(true);
        }
        return results;
    }

    private boolean isPoison(String name) {
        boolean later = !schedule().scenario().overNodes()
                || values(BatchPromises.key(name)).size() > 1;
        return later && schedule().scenario().poison().contains(name);
    }

    // ---- the clock -----------------------------------------------------------------------------------------------

    @Override
    public Instant now() {
        return Instant.EPOCH.plus(SLEEP.multipliedBy(sleeps));
    }

    @Override
    public void sleep(Duration pause) {
        requireNotGone();
        sleeps++;
    }
}
