package io.counterpoint.idempotency.examples.appplatform;

import static org.jdbi.v3.core.transaction.TransactionIsolationLevel.READ_COMMITTED;

import io.counterpoint.idempotency.consistency.Transactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * Writes what executions say, in batches. A batch whose commit was not answered is written again: its lines have their
 * ids, and are there once. Lines that are not written yet go with their process; the first of each execution does not.
 */
final class ExecutionLogs implements AutoCloseable {

    static final Bound BOUND = new Bound(
            "execution logs",
            "batches of up to 500 lines, every 100 ms",
            "the line's id is its primary key",
            Duration.ofSeconds(1));

    private static final int BATCH = 500;
    private static final long EVERY_MILLIS = 100;

    private record Line(UUID id, UUID execution, int number, String text, long saidAt) {}

    private final Transactions transactions;
    private final Lag lag = new Lag(BOUND);
    private final Consumer<RuntimeException> faults;
    private final BlockingQueue<Line> waiting = new ArrayBlockingQueue<>(10_000);
    private final Thread thread = new Thread(this::write, "execution-logs");
    private volatile boolean closing;

    ExecutionLogs(Transactions transactions, Consumer<RuntimeException> faults) {
        this.transactions = transactions;
        this.faults = faults;
        thread.setDaemon(true);
    }

    ExecutionLogs start() {
        thread.start();
        return this;
    }

    Lag lag() {
        return lag;
    }

    /** Waits while too many lines wait. */
    void say(UUID execution, int number, String text) throws InterruptedException {
        waiting.put(new Line(UUID.randomUUID(), execution, number, text, System.nanoTime()));
    }

    private void write() {
        List<Line> batch = new ArrayList<>();
        while (!closing || !waiting.isEmpty()) {
            try {
                TimeUnit.MILLISECONDS.sleep(closing ? 0 : EVERY_MILLIS);
            } catch (InterruptedException closed) {
                // By close: the rest is written at once.
            }
            waiting.drainTo(batch, BATCH - batch.size());
            if (!batch.isEmpty()) {
                try {
                    write(batch);
                    lag.seen(
                            batch.size(),
                            Duration.ofNanos(System.nanoTime() - batch.get(0).saidAt()));
                    batch.clear();
                } catch (RuntimeException fault) {
                    // The batch is kept, and comes again.
                    faults.accept(fault);
                    if (closing) {
                        return;
                    }
                }
            }
        }
    }

    private void write(List<Line> lines) {
        transactions.useTransaction(READ_COMMITTED, handle -> {
            try (PreparedBatch batch = handle.prepareBatch("""
                    INSERT INTO execution_log (id, execution_id, line, text)
                    SELECT CAST(:id AS uuid), CAST(:execution AS uuid), CAST(:number AS integer), :text
                    WHERE NOT EXISTS (SELECT 1 FROM execution_log WHERE id = :id)
                    """)) {
                lines.forEach(line -> batch.bind("id", line.id())
                        .bind("execution", line.execution())
                        .bind("number", line.number())
                        .bind("text", line.text())
                        .add());
                batch.execute();
            }
        });
    }

    /** Writes what waits, and ends. */
    @Override
    public void close() {
        closing = true;
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
