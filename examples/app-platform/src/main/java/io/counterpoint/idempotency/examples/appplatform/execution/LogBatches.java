package io.counterpoint.idempotency.examples.appplatform.execution;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.consistency.Transactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * Writes what executions say, in batches: what is said while a batch is written is the next one. The execution and the
 * number of a line make its id, so a line that is said again, by whichever worker, is there once. Lines that are not
 * written yet go with their process, and are said again with their execution.
 */
final class LogBatches implements AutoCloseable {

    private static final int BATCH = 500;
    private static final long RETRY_MILLIS = 100;

    private record Line(UUID execution, int number, String text, long saidAt, CompletableFuture<Void> written) {
        UUID id() {
            return UUID.nameUUIDFromBytes((execution + " " + number).getBytes(UTF_8));
        }
    }

    private final Transactions transactions;
    private final BiConsumer<Integer, Duration> wrote;
    private final Consumer<RuntimeException> faults;
    private final BlockingQueue<Line> waiting = new ArrayBlockingQueue<>(10_000);
    private final Thread thread = new Thread(this::write, "execution-logs");
    private volatile boolean closing;

    /**
     * Writes nothing before {@link #start}.
     *
     * @param wrote gets the number of a batch's lines, and how long the first of them has waited
     */
    LogBatches(Transactions transactions, BiConsumer<Integer, Duration> wrote, Consumer<RuntimeException> faults) {
        this.transactions = transactions;
        this.wrote = wrote;
        this.faults = faults;
        thread.setDaemon(true);
    }

    LogBatches start() {
        thread.start();
        return this;
    }

    /** Waits while too many lines wait. The line is stored when what this returns is complete. */
    CompletableFuture<Void> say(UUID execution, int number, String text) throws InterruptedException {
        Line line = new Line(execution, number, text, System.nanoTime(), new CompletableFuture<>());
        waiting.put(line);
        return line.written();
    }

    private void write() {
        List<Line> batch = new ArrayList<>();
        try {
            while (!closing || !waiting.isEmpty()) {
                if (batch.isEmpty()) {
                    batch.add(waiting.take());
                }
                waiting.drainTo(batch, BATCH - batch.size());
                if (written(batch)) {
                    batch.clear();
                } else {
                    TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
                }
            }
        } catch (InterruptedException closed) {
            // What waits is not written. Its executions come again, by another worker.
        } finally {
            waiting.drainTo(batch);
            batch.forEach(line -> line.written().completeExceptionally(new CancellationException("closed")));
        }
    }

    /** Whether the batch is stored; else it is kept, and comes again. */
    private boolean written(List<Line> batch) {
        try {
            insert(batch);
        } catch (RuntimeException fault) {
            faults.accept(fault);
            return false;
        }
        Duration waited = Duration.ofNanos(System.nanoTime() - batch.get(0).saidAt());
        batch.forEach(line -> line.written().complete(null));
        try {
            wrote.accept(batch.size(), waited);
        } catch (RuntimeException fault) {
            faults.accept(fault);
        }
        return true;
    }

    private void insert(List<Line> lines) {
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

    /** Ends; no execution is running any more. */
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
