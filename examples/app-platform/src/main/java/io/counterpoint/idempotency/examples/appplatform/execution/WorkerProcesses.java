package io.counterpoint.idempotency.examples.appplatform.execution;

import io.counterpoint.idempotency.examples.appplatform.process.ChildProcess;
import io.counterpoint.idempotency.examples.appplatform.process.ChildProcesses;
import io.counterpoint.idempotency.examples.appplatform.process.Repeated;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jdbi.v3.core.Jdbi;

/**
 * Keeps a number of worker processes. One that has ended is replaced. One that has not been seen for three silences is
 * killed, and so replaced: unless the database was away meanwhile, which says nothing of the worker.
 */
public final class WorkerProcesses implements AutoCloseable {

    /** After one silence others get what it had. Killing it is no hurry, and a machine may be slow. */
    private static final int SILENCES = 3;
    /** A pool waits ten seconds for a connection, and as long between its tries: of this process, and then of a worker's. */
    private static final Duration RECONNECTED_AFTER = Duration.ofSeconds(20);

    private static final Duration TIME_TO_END = Duration.ofSeconds(10);

    private final Jdbi jdbi;
    private final Duration silence;
    private final Consumer<String> log;
    private final ChildProcesses processes;
    private final Repeated look;
    /** Before that, a worker may have been silent because the database was away. */
    private long mayKillFrom = System.nanoTime();

    private WorkerProcesses(Jdbi jdbi, Duration silence, Consumer<String> log, ChildProcesses processes) {
        this.jdbi = jdbi;
        this.silence = silence;
        this.log = log;
        this.processes = processes;
        look = new Repeated("workers", this::killWhoIsSilent, log);
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
        ChildProcesses processes = ChildProcesses.start(number, WorkerMain.program(address, silence), TIME_TO_END, log);
        WorkerProcesses started = new WorkerProcesses(jdbi, silence, log, processes);
        started.look.every(silence.dividedBy(2));
        return started;
    }

    private void killWhoIsSilent() {
        Set<String> seen;
        try {
            seen = jdbi.withHandle(handle -> handle.createQuery("SELECT CAST(id AS varchar(36)) FROM worker"
                            + " WHERE seen_at > CURRENT_TIMESTAMP - INTERVAL '"
                            + Math.max(1, silence.multipliedBy(SILENCES).toSeconds()) + "' SECOND")
                    .mapTo(String.class)
                    .set());
        } catch (RuntimeException away) {
            mayKillFrom = System.nanoTime()
                    + RECONNECTED_AFTER.plus(silence.multipliedBy(SILENCES)).toNanos();
            throw away;
        }
        if (System.nanoTime() - mayKillFrom < 0) {
            return;
        }
        for (ChildProcess process : processes.working()) {
            if (process.ready().filter(worker -> !seen.contains(worker)).isPresent()) {
                log.accept(process + " is silent, and is killed");
                process.kill();
            }
        }
    }

    /** The processes that work: those that have not ended, and are entered in the table. */
    public List<Long> pids() {
        return pids(processes.working());
    }

    private static List<Long> pids(List<ChildProcess> some) {
        return some.stream().map(ChildProcess::pid).toList();
    }

    /** Waits until the working processes are as wanted; returns false if that takes longer. */
    public boolean await(Predicate<List<Long>> wanted, Duration atMost) throws InterruptedException {
        return processes.await(working -> wanted.test(pids(working)), atMost);
    }

    /** {@code kill -9}. Returns whether there is such a worker. */
    public boolean kill(long pid) {
        return processes.kill(pid);
    }

    /** How many workers were replaced up to now. */
    public int replaced() {
        return processes.replaced();
    }

    /** Lets every worker end what it runs, for up to ten seconds. */
    @Override
    public void close() {
        look.close();
        processes.close();
    }
}
