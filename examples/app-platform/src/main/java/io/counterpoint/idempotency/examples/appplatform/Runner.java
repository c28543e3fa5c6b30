package io.counterpoint.idempotency.examples.appplatform;

import static org.jdbi.v3.core.transaction.TransactionIsolationLevel.READ_COMMITTED;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.examples.appplatform.usecase.TriggerExecution;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs executions, and shows that it is alive. One that dies leaves its executions running; the check for zombies goes by
 * when their runner was last seen. One that was believed dead completes nothing that was given up meanwhile.
 */
final class Runner implements TriggerExecution.Executor, AutoCloseable {

    private static final int LINES = 3;

    private final UUID id = UUID.randomUUID();
    private final Transactions transactions;
    private final ExecutionLogs logs;
    private final Duration silence;
    private final Consumer<RuntimeException> faults;
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);

    /** A runner that counts as dead after a silence. */
    Runner(Transactions transactions, ExecutionLogs logs, Duration silence, Consumer<RuntimeException> faults) {
        this.transactions = transactions;
        this.logs = logs;
        this.silence = silence;
        this.faults = faults;
    }

    @Override
    public UUID id() {
        return id;
    }

    Runner start() {
        transactions.useTransaction(
                READ_COMMITTED,
                handle -> handle.execute("INSERT INTO runner (id, seen_at) VALUES (?, CURRENT_TIMESTAMP)", id));
        long every = silence.toMillis() / 5;
        var unused = threads.scheduleWithFixedDelay(() -> tolerant(this::beat), every, every, TimeUnit.MILLISECONDS);
        return this;
    }

    @Override
    public void run(UUID execution) {
        threads.execute(() -> tolerant(() -> work(execution)));
    }

    private void beat() {
        transactions.useTransaction(
                READ_COMMITTED,
                handle -> handle.execute("UPDATE runner SET seen_at = CURRENT_TIMESTAMP WHERE id = ?", id));
    }

    private void work(UUID execution) {
        try {
            for (int line = 1; line <= LINES; line++) {
                logs.say(execution, line, "step " + line);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        transactions.useTransaction(READ_COMMITTED, handle -> handle.execute("""
                UPDATE execution SET status = 'succeeded', completed_at = CURRENT_TIMESTAMP
                WHERE id = ? AND status = 'running' AND runner = ?
                """, execution, id));
    }

    private void tolerant(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException fault) {
            faults.accept(fault);
        }
    }

    /** Lets what runs come to its end. */
    @Override
    public void close() {
        threads.shutdown();
        try {
            if (!threads.awaitTermination(10, TimeUnit.SECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
