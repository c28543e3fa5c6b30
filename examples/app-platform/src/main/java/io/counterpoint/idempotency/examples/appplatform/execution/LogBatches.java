package io.counterpoint.idempotency.examples.appplatform.execution;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.programs.process.Repeated;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
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
    private static final Duration PAUSE = Duration.ofMillis(10);

    private record Line(UUID execution, int number, String text, long saidAt, CompletableFuture<Void> written) {
        UUID id() {
            return UUID.nameUUIDFromBytes((execution + " " + number).getBytes(UTF_8));
        }
    }

    private final Transactions transactions;
    private final BiConsumer<Integer, Duration> wrote;
    private final BlockingQueue<Line> waiting = new ArrayBlockingQueue<>(10_000);
    /** Lines that could not be written stay here, and come again. */
    private final List<Line> batch = new ArrayList<>();

    private final Repeated writer;

    /**
     * Writes nothing before {@link #start}.
     *
     * @param wrote gets the number of a batch's lines, and how long the first of them has waited
     */
    LogBatches(Transactions transactions, BiConsumer<Integer, Duration> wrote, Consumer<String> log) {
        this.transactions = transactions;
        this.wrote = wrote;
        writer = new Repeated("execution logs", this::write, log);
    }

    LogBatches start() {
        writer.every(PAUSE);
        return this;
    }

    /** Waits while too many lines wait. The line is stored when what this returns is complete. */
    CompletableFuture<Void> say(UUID execution, int number, String text) throws InterruptedException {
        Line line = new Line(execution, number, text, System.nanoTime(), new CompletableFuture<>());
        waiting.put(line);
        return line.written();
    }

    private void write() {
        while (waiting.drainTo(batch, BATCH - batch.size()) > 0 || !batch.isEmpty()) {
            insert();
            int lines = batch.size();
            Duration waited = Duration.ofNanos(System.nanoTime() - batch.get(0).saidAt());
            batch.forEach(line -> line.written().complete(null));
            batch.clear();
            wrote.accept(lines, waited);
        }
    }

    private void insert() {
        transactions.useTransaction(READ_COMMITTED, handle -> {
            try (PreparedBatch rows = handle.prepareBatch("""
                    INSERT INTO execution_log (id, execution_id, line, text)
                    SELECT CAST(:id AS uuid), CAST(:execution AS uuid), CAST(:number AS integer), :text
                    WHERE NOT EXISTS (SELECT 1 FROM execution_log WHERE id = :id)
                    """)) {
                batch.forEach(line -> rows.bind("id", line.id())
                        .bind("execution", line.execution())
                        .bind("number", line.number())
                        .bind("text", line.text())
                        .add());
                rows.execute();
            }
        });
    }

    /** Ends; no execution is running any more. */
    @Override
    public void close() {
        writer.close();
        waiting.drainTo(batch);
        batch.forEach(line -> line.written().completeExceptionally(new CancellationException("closed")));
    }
}
