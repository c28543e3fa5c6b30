package io.counterpoint.idempotency.examples.appplatform.execution;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.outbox.Outbox;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;

/**
 * Runs executions from a topic of the outbox, several at once. An event counts as handled only once its execution has
 * ended, so if a worker dies, another one gets the execution. It repeats everything, with the same effect: each line
 * has an id, and the result belongs to an operation of the library whose key is the execution.
 *
 * <p>Guaranteed: one result per execution, however many times its event is delivered and to however many workers. Not
 * guaranteed: that an execution starts only once.
 */
public final class Worker implements AutoCloseable {

    /** The topic. The payload of its events is the id of an execution. */
    public static final String TOPIC = "executions";

    /** The maximum number of concurrent executions. */
    public static final int THREADS = 2;

    private static final int LINES = 3;
    private static final int BATCH = 10;
    private static final Duration POLL = Duration.ofMillis(50);

    private final Transactions transactions;
    private final Consumer<WorkerStep> at;
    private final Heartbeat heartbeat;
    private final LogBatches logs;
    private final Operation<Handle, Done> run;
    private final List<OutboxPublisher> publishers;

    /**
     * Creates a worker.
     *
     * @param idempotency uses the executions' database
     * @param silence the worker counts as dead if it has not been seen for this long; its events then go to another
     *     worker
     * @param at is called at each step, and may block there
     */
    public Worker(
            Transactions transactions,
            Idempotency<Handle> idempotency,
            Outbox outbox,
            Duration silence,
            int threads,
            Consumer<WorkerStep> at,
            Consumer<String> log) {
        this.transactions = transactions;
        this.at = at;
        heartbeat = new Heartbeat(transactions, silence, log);
        logs = new LogBatches(transactions, heartbeat::wrote, log);
        run = idempotency
                .operation("run-execution")
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .releaseOn(thrown -> true)
                .build();
        publishers = IntStream.range(0, threads)
                .mapToObj(i -> OutboxPublisher.builder(transactions, outbox, TOPIC, this::accept)
                        .batch(BATCH)
                        .poll(POLL)
                        .claimFor(silence)
                        .listener(new EventLog(log))
                        .build())
                .toList();
    }

    /** The worker's id in the worker table. */
    public UUID id() {
        return heartbeat.worker();
    }

    /** Starts the heartbeat, and starts running executions. */
    public Worker start() {
        heartbeat.start();
        logs.start();
        publishers.forEach(OutboxPublisher::start);
        return this;
    }

    private void accept(OutboxEvent event) throws InterruptedException, ExecutionException {
        at.accept(WorkerStep.TAKEN);
        UUID execution = UUID.fromString(event.payload());
        if (!begin(execution)) {
            // The execution has already ended: an earlier delivery completed it, or a repair marked it failed.
            return;
        }
        at.accept(WorkerStep.BEGUN);
        List<CompletableFuture<Void>> written = new ArrayList<>();
        for (int line = 1; line <= LINES; line++) {
            written.add(logs.say(execution, line, "step " + line));
        }
        at.accept(WorkerStep.SAID);
        for (CompletableFuture<Void> line : written) {
            var unused = line.get();
        }
        at.accept(WorkerStep.LOGGED);
        var unused = run.execute(
                        Attempt.inScope("execution").key(execution.toString()).withoutRequest(), handle -> {
                            end(handle, execution);
                            return Done.DONE;
                        })
                .orElseThrow();
        at.accept(WorkerStep.RAN);
    }

    /** Takes an execution over, even if another worker has begun it: that worker's claim on the event has expired. */
    private boolean begin(UUID execution) {
        return transactions.inTransaction(READ_COMMITTED, handle -> handle.execute("""
                        UPDATE execution
                        SET status = 'running', worker = ?, started_at = COALESCE(started_at, CURRENT_TIMESTAMP)
                        WHERE id = ? AND status IN ('queued', 'running')
                        """, id(), execution)) == 1;
    }

    /** Stores the result, unless the execution has been marked failed meanwhile. */
    private void end(Handle handle, UUID execution) {
        int ended = handle.execute("""
                UPDATE execution SET status = 'succeeded', completed_at = CURRENT_TIMESTAMP
                WHERE id = ? AND status = 'running'
                """, execution);
        if (ended == 1) {
            handle.execute(
                    "INSERT INTO execution_result (id, execution_id, worker) VALUES (?, ?, ?)",
                    UUID.randomUUID(),
                    execution,
                    id());
        }
        at.accept(WorkerStep.RESULT_NOT_COMMITTED);
    }

    /** Waits for running executions to end. Queued ones go to other workers. */
    @Override
    public void close() {
        publishers.forEach(OutboxPublisher::close);
        logs.close();
        heartbeat.close();
    }
}
