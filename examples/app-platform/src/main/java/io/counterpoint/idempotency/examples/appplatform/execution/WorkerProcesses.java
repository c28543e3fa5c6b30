package io.counterpoint.idempotency.examples.appplatform.execution;

import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jdbi.v3.core.Jdbi;

/**
 * Keeps a number of worker processes. One that has ended, however it did, is replaced at once, or after a second if it did
 * not get so far as to work. One that has not been seen for three silences is killed, and so replaced.
 */
public final class WorkerProcesses implements AutoCloseable {

    /** After one silence others get what it had. Killing it is no hurry, and a machine may be slow. */
    private static final int SILENCES = 3;

    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration TIME_TO_END = Duration.ofSeconds(10);

    private final Jdbi jdbi;
    private final DatabaseAddress address;
    private final Duration silence;
    private final Consumer<String> log;
    private final List<WorkerProcess> processes = new ArrayList<>();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread created = new Thread(work, "worker-processes");
        created.setDaemon(true);
        return created;
    });
    private boolean closing;

    private WorkerProcesses(Jdbi jdbi, DatabaseAddress address, Duration silence, Consumer<String> log) {
        this.jdbi = jdbi;
        this.address = address;
        this.silence = silence;
        this.log = log;
    }

    /**
     * Starts processes, and does not wait until they work.
     *
     * @param jdbi the database of the executions, from here
     * @param address the same, from another process
     * @param silence what a worker had goes to others after so long
     * @throws CannotRun if a process cannot be started
     */
    public static WorkerProcesses start(
            int number, Jdbi jdbi, DatabaseAddress address, Duration silence, Consumer<String> log) throws CannotRun {
        WorkerProcesses started = new WorkerProcesses(jdbi, address, silence, log);
        try {
            for (int i = 0; i < number; i++) {
                started.add();
            }
        } catch (IOException e) {
            started.close();
            throw new CannotRun("A worker cannot be started: " + CannotRun.rootMessage(e) + ".");
        }
        long every = Math.max(1, silence.toMillis() / 2);
        var unused =
                started.thread.scheduleWithFixedDelay(started::killWhoIsSilent, every, every, TimeUnit.MILLISECONDS);
        return started;
    }

    private synchronized void add() throws IOException {
        if (closing) {
            return;
        }
        processes.add(WorkerProcess.start(address, List.of(Long.toString(silence.toMillis())), log, this::ended));
    }

    private synchronized void ended(WorkerProcess process) {
        if (!closing) {
            long pause = process.worker().isPresent() ? 0 : PAUSE.toMillis();
            var unused = thread.schedule(() -> replace(process), pause, TimeUnit.MILLISECONDS);
        }
    }

    private void replace(WorkerProcess ended) {
        synchronized (this) {
            if (closing || !processes.remove(ended)) {
                return;
            }
        }
        log.accept("worker " + ended.pid() + " has ended; another one takes its place");
        try {
            add();
        } catch (IOException e) {
            log.accept("worker: " + e);
        }
    }

    private void killWhoIsSilent() {
        try {
            Set<UUID> seen = new HashSet<>(jdbi.withHandle(handle -> handle.createQuery(
                            "SELECT id FROM worker WHERE seen_at > CURRENT_TIMESTAMP - INTERVAL '"
                                    + Math.max(1, silence.multipliedBy(SILENCES).toSeconds()) + "' SECOND")
                    .mapTo(UUID.class)
                    .list()));
            for (WorkerProcess process : copy()) {
                if (process.worker().filter(worker -> !seen.contains(worker)).isPresent()) {
                    log.accept("worker " + process.pid() + " is silent, and is killed");
                    process.kill();
                }
            }
        } catch (RuntimeException fault) {
            // The next look may be better; without this there would be none.
            log.accept("workers: " + fault);
        }
    }

    private synchronized List<WorkerProcess> copy() {
        return List.copyOf(processes);
    }

    /** The processes that work: those that have not ended, and are entered in the table. */
    public List<Long> pids() {
        return copy().stream()
                .filter(process -> process.isAlive() && process.worker().isPresent())
                .map(WorkerProcess::pid)
                .toList();
    }

    /** {@code kill -9}. Returns whether there is such a worker. */
    public boolean kill(long pid) {
        List<WorkerProcess> found =
                copy().stream().filter(process -> process.pid() == pid).toList();
        found.forEach(WorkerProcess::kill);
        return !found.isEmpty();
    }

    /** Lets every worker end what it runs, for up to ten seconds. */
    @Override
    public void close() {
        synchronized (this) {
            closing = true;
            thread.shutdownNow();
        }
        List<WorkerProcess> all = copy();
        all.forEach(WorkerProcess::end);
        long end = System.nanoTime() + TIME_TO_END.toNanos();
        all.forEach(process -> process.awaitEnd(Duration.ofNanos(Math.max(0, end - System.nanoTime()))));
    }
}
