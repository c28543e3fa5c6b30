package io.counterpoint.idempotency.examples.appplatform.execution;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.programs.process.Repeated;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Consumer;

/** Records in the worker table that a worker is alive, by the database's clock. */
public final class Heartbeat implements AutoCloseable {

    private static final int BEATS_A_SILENCE = 5;

    private final UUID worker = UUID.randomUUID();
    private final Transactions transactions;
    private final Duration silence;
    private final Repeated heart;

    /**
     * Records nothing until {@link #start}.
     *
     * @param silence a worker that has not been seen for this long counts as dead
     */
    public Heartbeat(Transactions transactions, Duration silence, Consumer<String> log) {
        this.transactions = transactions;
        this.silence = silence;
        heart = new Repeated("heartbeat", this::beat, log);
    }

    /** The worker's id. */
    public UUID worker() {
        return worker;
    }

    /** Registers the worker, and starts the heartbeat. */
    public Heartbeat start() {
        transactions.useTransaction(
                READ_COMMITTED,
                handle -> handle.execute(
                        "INSERT INTO worker (id, pid, seen_at) VALUES (?, ?, CURRENT_TIMESTAMP)",
                        worker,
                        ProcessHandle.current().pid()));
        heart.every(silence.dividedBy(BEATS_A_SILENCE));
        return this;
    }

    private void beat() {
        transactions.useTransaction(
                READ_COMMITTED,
                handle -> handle.execute("UPDATE worker SET seen_at = CURRENT_TIMESTAMP WHERE id = ?", worker));
    }

    /** Adds lines that were written, and the longest time that one of them waited. */
    void wrote(int lines, Duration waited) {
        transactions.useTransaction(
                READ_COMMITTED,
                handle -> handle.execute(
                        "UPDATE worker SET lines = lines + ?, longest_wait = GREATEST(longest_wait, ?) WHERE id = ?",
                        lines,
                        waited.toMillis(),
                        worker));
    }

    /** Stops the heartbeat. The worker counts as dead after a silence. */
    @Override
    public void close() {
        heart.close();
    }
}
