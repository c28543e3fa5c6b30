package io.counterpoint.idempotency.examples.appplatform.execution;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.outbox.Outbox;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import io.counterpoint.idempotency.programs.process.ChildProcess;
import io.counterpoint.idempotency.programs.process.ChildProcesses;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Worker processes on PostgreSQL die at every step. Every triggered execution is run and has one result. */
@Tag("thorough")
class KilledWorkersTest {

    private static final Duration SILENCE = Duration.ofSeconds(2);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int LINES = 4;

    private DatabaseAddress address;
    private Jdbi jdbi;
    private JdbiIdempotencyStore store;
    private Transactions transactions;

    @BeforeEach
    void open() throws IOException {
        address = new DatabaseAddress(PostgresServer.shared().createDatabase(), "", "");
        jdbi = Jdbi.create(address.url());
        store = JdbiIdempotencyStore.on(jdbi).createTableIfMissing();
        transactions = Transactions.on(store).withRetries(100);
        try (InputStream in = Objects.requireNonNull(
                Worker.class.getResourceAsStream("/io/counterpoint/idempotency/examples/appplatform/schema.sql"))) {
            String script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            jdbi.useHandle(handle -> {
                handle.createScript(script).execute();
                Outbox.create().createTableIfMissing(handle);
            });
        }
    }

    @AfterEach
    void close() {
        PostgresServer.shared().giveBack(address.url());
    }

    private List<UUID> trigger(int number) {
        List<UUID> executions = Stream.generate(UUID::randomUUID).limit(number).toList();
        executions.forEach(execution -> transactions.useTransaction(READ_COMMITTED, handle -> {
            handle.execute("""
                    INSERT INTO execution (id, workspace_id, app_id, status, triggered_at)
                    VALUES (?, 1, ?, 'queued', CURRENT_TIMESTAMP)
                    """, execution, UUID.randomUUID());
            handle.execute(
                    "INSERT INTO execution_log (id, execution_id, line, text) VALUES (?, ?, 0, 'triggered')",
                    UUID.randomUUID(),
                    execution);
            Outbox.create().append(handle, OutboxEvent.of(Worker.TOPIC, execution.toString()));
        }));
        return executions;
    }

    private Worker worker(int threads, Consumer<WorkerStep> at) {
        return new Worker(
                transactions, Idempotency.on(store), Outbox.create(), SILENCE, threads, at, System.out::println);
    }

    private long count(String from) {
        return jdbi.withHandle(handle -> handle.createQuery("SELECT count(*) FROM " + from)
                .mapTo(Long.class)
                .one());
    }

    private static void await(BooleanSupplier there) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!there.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("It did not come in a minute.");
            }
            LockSupport.parkNanos(5_000_000);
        }
    }

    private void assertEachHasOneResult(int number) {
        await(() -> count("outbox_event WHERE published_at IS NULL") == 0);
        assertThat(count("execution WHERE status = 'succeeded'")).isEqualTo(number);
        assertThat(count("execution_result")).isEqualTo(number);
        assertThat(count("(SELECT DISTINCT execution_id FROM execution_result) one"))
                .isEqualTo(number);
        assertThat(count("execution_log")).isEqualTo((long) number * LINES);
        assertThat(count("(SELECT DISTINCT execution_id, line FROM execution_log) one"))
                .isEqualTo((long) number * LINES);
        assertThat(count("outbox_event WHERE parked_at IS NOT NULL")).isZero();
    }

    @Test
    void executionsOfAWorkerKilledAtEveryStepAreRunByAnother() throws Exception {
        int steps = WorkerStep.values().length;
        // More than the number of threads, so that some events are still waiting in a batch of the killed worker.
        int number = steps + 12;
        trigger(number);
        CountDownLatch ended = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(steps);
        ChildProcess doomed = ChildProcess.start(
                WorkerMain.program(DoomedWorker.class, address, SILENCE), new ChildProcess.Watcher() {
                    @Override
                    public void said(ChildProcess process, String line) {
                        System.out.println(line);
                        if (line.contains(DoomedWorker.STOPPED)) {
                            stopped.countDown();
                        }
                    }

                    @Override
                    public void ended(ChildProcess process) {
                        ended.countDown();
                    }
                });
        try {
            assertThat(stopped.await(60, TimeUnit.SECONDS))
                    .as("a thread at every step")
                    .isTrue();
        } finally {
            doomed.kill();
        }
        assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(count("outbox_event WHERE published_at IS NULL")).isPositive();
        try (Worker another = worker(2, step -> {}).start()) {
            assertThat(another.id()).isNotNull();
            assertEachHasOneResult(number);
        }
    }

    /** A worker that was paused beyond its claim finds that another one has run its execution. */
    @Test
    void pausedWorkerMakesNoSecondResult() throws Exception {
        trigger(1);
        CountDownLatch paused = new CountDownLatch(1);
        CountDownLatch resumed = new CountDownLatch(1);
        CountDownLatch gone = new CountDownLatch(1);
        AtomicBoolean first = new AtomicBoolean(true);
        Worker slow = worker(1, step -> {
            if (step == WorkerStep.LOGGED && first.getAndSet(false)) {
                paused.countDown();
                awaitQuietly(resumed);
            } else if (step == WorkerStep.RAN) {
                gone.countDown();
            }
        });
        try (slow) {
            slow.start();
            assertThat(paused.await(60, TimeUnit.SECONDS)).isTrue();
            try (Worker another = worker(1, step -> {}).start()) {
                await(() -> count("execution WHERE status = 'succeeded' AND worker = '" + another.id() + "'") == 1);
            }
            resumed.countDown();
            assertThat(gone.await(60, TimeUnit.SECONDS)).isTrue();
        }
        assertEachHasOneResult(1);
    }

    @Test
    void executionThatWasGivenUpHasNoResult() throws Exception {
        UUID execution = trigger(1).get(0);
        CountDownLatch paused = new CountDownLatch(1);
        CountDownLatch resumed = new CountDownLatch(1);
        try (Worker slow = worker(1, step -> {
                    if (step == WorkerStep.LOGGED) {
                        paused.countDown();
                        awaitQuietly(resumed);
                    }
                })
                .start()) {
            assertThat(slow.id()).isNotNull();
            assertThat(paused.await(60, TimeUnit.SECONDS)).isTrue();
            jdbi.useHandle(handle -> handle.execute("UPDATE execution SET status = 'failed' WHERE id = ?", execution));
            resumed.countDown();
            await(() -> count("outbox_event WHERE published_at IS NULL") == 0);
        }
        assertThat(count("execution WHERE status = 'failed'")).isEqualTo(1);
        assertThat(count("execution_result")).isZero();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    @Tag("matrix")
    @SuppressWarnings("ClosingStandardOutputStreams") // Only processes are closed.
    void killedProcessIsReplacedAndNothingOfItIsLost() throws Exception {
        try (ChildProcesses workers = WorkerMain.start(2, address, SILENCE, System.out::println)) {
            assertThat(workers.await(working -> working.size() == 2, MINUTE)).isTrue();
            long killed = workers.pids().get(0);
            trigger(20);
            assertThat(workers.kill(killed)).isTrue();
            assertThat(workers.await(working -> working.size() == 2 && workers.replaced() == 1, MINUTE))
                    .isTrue();
            trigger(20);
            assertEachHasOneResult(40);
            assertThat(workers.kill(killed)).isFalse();
        }
    }
}
