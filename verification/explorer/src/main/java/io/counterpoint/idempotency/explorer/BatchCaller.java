package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchAttempt;
import io.counterpoint.idempotency.BatchEntry;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.explorer.BatchServer.Open;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A process that makes one call with a batch. It stops at every gate until the schedule lets it go on, with an answer, with
 * a fault, or dead.
 */
final class BatchCaller implements IdempotencyClock, Runnable {

    private static final int RETRIES = 2;
    private static final Duration SLEEP = Duration.ofSeconds(3);

    private final int index;
    private final Signal signal = new Signal();
    private final StringBuilder history = new StringBuilder();
    private final Map<IdempotencyKey, List<String>> values = new TreeMap<>();

    private @Nullable BatchSchedule schedule;
    private List<String> names = List.of();
    private @Nullable Consumer<BatchSchedule.Options> request;
    private @Nullable Object answer;
    private @Nullable RuntimeException thrown;
    private boolean over;
    private boolean dead;
    private int sleeps;

    private BatchCaller(int index) {
        this.index = index;
    }

    static BatchCaller onItsThread(int index) {
        BatchCaller caller = new BatchCaller(index);
        Thread thread = new Thread(caller, "batch-" + caller);
        thread.setDaemon(true);
        thread.start();
        return caller;
    }

    // ---- called by the schedule ----------------------------------------------------------------------------------

    /** Before a call with these keys. */
    void prepare(BatchSchedule next, List<String> keys) {
        schedule = next;
        names = keys;
        request = null;
        over = false;
        dead = false;
        sleeps = 0;
        history.setLength(0);
        values.clear();
    }

    void quit() {
        schedule = null;
        signal.raise();
    }

    void resume() {
        signal.raise();
    }

    void answered(String words, Object got) {
        answer = got;
        history.append(words).append('=').append(schedule().code(got)).append(';');
    }

    void failed(String words, RuntimeException fault) {
        thrown = fault;
        history.append(words).append('!');
        if (fault instanceof Injected injected) {
            history.append(injected.fault()).append(injected.atCommit());
        }
        history.append(';');
    }

    void dies() {
        dead = true;
    }

    boolean isDead() {
        return dead;
    }

    boolean isOver() {
        return over;
    }

    @Nullable
    Consumer<BatchSchedule.Options> request() {
        return request;
    }

    /** The results that its work has made for this key. */
    List<String> values(IdempotencyKey key) {
        return values.getOrDefault(key, List.of());
    }

    List<String> keys() {
        return names;
    }

    String state() {
        return (over ? "over" : "") + (dead ? "dead" : "") + sleeps + history;
    }

    // ---- the thread ----------------------------------------------------------------------------------------------

    BatchSchedule schedule() {
        BatchSchedule now = schedule;
        if (now == null) {
            throw new IllegalStateException("Nothing is explored.");
        }
        return now;
    }

    /** Waits until the schedule comes to this request. */
    Object pass(String words, Consumer<BatchSchedule.Options> asked) {
        requireNotGone();
        request = asked;
        answer = null;
        thrown = null;
        BatchSchedule now = schedule();
        BatchCaller next = now.decide();
        if (next != this) {
            now.handOver(next);
            signal.await();
        }
        request = null;
        requireNotGone();
        RuntimeException fault = thrown;
        if (fault != null) {
            throw fault;
        }
        Object got = answer;
        if (got == null) {
            throw new IllegalStateException("Resumed without an answer: " + words);
        }
        return got;
    }

    /** Dead, or no longer of interest. */
    boolean isGone() {
        return dead || schedule().isAborted();
    }

    void requireNotGone() {
        if (isGone()) {
            throw new Gone();
        }
    }

    @Override
    public void run() {
        for (; ; ) {
            signal.await();
            BatchSchedule now = schedule;
            if (now == null) {
                return;
            }
            call(now);
            request = null;
            over = true;
            now.handOver(now.decide());
        }
    }

    private void call(BatchSchedule now) {
        try {
            List<? extends BatchEntry<?>> entries = now.scenario().answers().apply(execute(now));
            if (!isGone()) {
                now.promises().returned(this, entries);
            }
        } catch (RuntimeException | Error failure) {
            if (!isGone()) {
                now.promises().breaks(this + ": the batch threw " + failure);
            }
        }
    }

    private List<? extends BatchEntry<?>> execute(BatchSchedule now) {
        Idempotency<Open> idempotency = Idempotency.builder(
                        now.scenario().above().apply(index, new BatchStore(this)))
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

    private <R> List<BatchEntry<R>> execute(
            BatchSchedule now, Operation.Builder<Open, R> builder, Batch.JointWork<Open, R> work) {
        boolean together = now.scenario().together();
        builder.retention(Configuration.RETENTION).retries(RETRIES);
        if (now.scenario().overNodes()) {
            builder.releaseOn(thrown -> thrown instanceof WorkFailed);
        }
        Operation<Open, R> operation = together
                ? builder.singleTransaction().build()
                : builder.failAbandonedAfter(Configuration.GRACE).build();
        Batch<Open, R> batch = together ? Batch.inOneTransaction(operation) : Batch.eachItsOwn(operation);
        List<Attempt> attempts = names.stream()
                .map(name -> Attempt.in(BatchPromises.SCOPE).key(name).request("request"))
                .toList();
        return batch.executeAll(attempts, work);
    }

    /** Writes an effect for each, and then throws if one of them is poison. */
    private List<String> work(Open transaction, List<BatchAttempt> leading) {
        List<String> results = new ArrayList<>();
        for (BatchAttempt one : leading) {
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

    @Override
    public String toString() {
        return String.valueOf((char) ('A' + index));
    }
}
