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
 * Runs the executions that a topic of the outbox brings, several at once. An event waits until its execution has ended, so
 * an execution whose worker dies comes to another one. Whatever was done before is done again, and comes to the same: a
 * line has its id, and the result is made by an operation of the library whose key is the execution.
 *
 * <p>Promised: one result for each execution, however often its event comes and however many workers have it. Not promised:
 * that an execution begins once.
 */
public final class Worker implements AutoCloseable {

    /** The topic; the payload of its events is an execution's id. */
    public static final String TOPIC = "executions";

    /** How many executions run at once, at most. */
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
     * A worker.
     *
     * @param idempotency in the database of the executions
     * @param silence it counts as dead when it is not seen for so long. Its events come to another worker after that time
     * @param at is called at each step, and may stop there
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

    /** Its id in the table of workers. */
    public UUID id() {
        return heartbeat.worker();
    }

    /** Begins to beat, and to run what waits. */
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
            // It has ended: an earlier delivery has run it, or a repair has given it up.
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

    /** Whether it is this worker's from here. One that another worker has begun is so too: that one's claim is over. */
    private boolean begin(UUID execution) {
        return transactions.inTransaction(READ_COMMITTED, handle -> handle.execute("""
                        UPDATE execution
                        SET status = 'running', worker = ?, started_at = COALESCE(started_at, CURRENT_TIMESTAMP)
                        WHERE id = ? AND status IN ('queued', 'running')
                        """, id(), execution)) == 1;
    }

    /** The result; an execution that was given up meanwhile has none. */
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

    /** Lets the executions end that are running. What waits goes to other workers. */
    @Override
    public void close() {
        publishers.forEach(OutboxPublisher::close);
        logs.close();
        heartbeat.close();
    }
}
