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
 * Writes the executions' log lines in batches: while one batch is written, the next is collected. The execution and the
 * line number form a line's id, so a line that is logged again, by any worker, is stored once. Lines that are not yet
 * written are lost with their process, and logged again when their execution is repeated.
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
    /** Lines that could not be written stay here and are retried. */
    private final List<Line> batch = new ArrayList<>();

    private final Repeated writer;

    /**
     * Writes nothing until {@link #start}.
     *
     * @param wrote receives the number of lines in a batch, and how long the first of them waited
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

    /** Blocks while too many lines are waiting. The line is stored once the returned future completes. */
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

    /** Stops. No executions may be running any more. */
    @Override
    public void close() {
        writer.close();
        waiting.drainTo(batch);
        batch.forEach(line -> line.written().completeExceptionally(new CancellationException("closed")));
    }
}
