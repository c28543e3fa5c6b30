package io.counterpoint.idempotency.programs.process;

import io.counterpoint.idempotency.programs.CannotRun;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Keeps a number of processes of one program running. A process that has exited for any reason is replaced at once, or
 * after a second if it was never ready. If a replacement cannot be started, this tries again every second.
 */
public final class ChildProcesses implements AutoCloseable {

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final JavaProgram program;
    private final Duration timeToEnd;
    private final Consumer<String> log;
    private final Watching watching = new Watching();
    /** Modified under the lock of this, and read without it. */
    private final List<ChildProcess> processes = new CopyOnWriteArrayList<>();

    private boolean closing;
    private int endedBeforeTheyWorked;
    private volatile int replaced;

    private ChildProcesses(JavaProgram program, Duration timeToEnd, Consumer<String> log) {
        this.program = program;
        this.timeToEnd = timeToEnd;
        this.log = log;
    }

    /**
     * Starts processes without waiting until they are ready.
     *
     * @param timeToEnd how long they have to exit when this is closed
     * @param log receives their output, and a message for each replacement
     * @throws CannotRun if a process cannot be started
     */
    public static ChildProcesses start(int number, JavaProgram program, Duration timeToEnd, Consumer<String> log)
            throws CannotRun {
        ChildProcesses started = new ChildProcesses(program, timeToEnd, log);
        try {
            for (int i = 0; i < number; i++) {
                started.add();
            }
        } catch (IOException e) {
            started.close();
            throw new CannotRun("A " + program.name() + " cannot be started: " + CannotRun.rootMessage(e) + ".");
        }
        return started;
    }

    private synchronized void add() throws IOException {
        processes.add(ChildProcess.start(program, watching));
    }

    private final class Watching implements ChildProcess.Watcher {

        @Override
        public void said(ChildProcess process, String line) {
            log.accept(process + ": " + line);
        }

        @Override
        public void ready(ChildProcess process) {
            synchronized (ChildProcesses.this) {
                ChildProcesses.this.notifyAll();
            }
        }

        /** Replaces the process, on the thread that watched it. */
        @Override
        public void ended(ChildProcess process) {
            boolean worked = process.ready().isPresent();
            synchronized (ChildProcesses.this) {
                endedBeforeTheyWorked += worked ? 0 : 1;
                ChildProcesses.this.notifyAll();
            }
            try {
                if (!worked) {
                    Thread.sleep(PAUSE.toMillis());
                }
                while (!isReplaced(process)) {
                    Thread.sleep(PAUSE.toMillis());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** If no replacement can be started, the place stays empty until the next try. After close, none is started. */
    private synchronized boolean isReplaced(ChildProcess ended) {
        if (closing) {
            return true;
        }
        if (processes.remove(ended)) {
            log.accept(ended + " has ended; another one takes its place");
        }
        try {
            add();
            replaced++;
            return true;
        } catch (IOException e) {
            log.accept("no " + program.name() + " can be started, trying again: " + e.getMessage());
            return false;
        }
    }

    /** The processes that are ready and have not exited. */
    public List<ChildProcess> working() {
        return processes.stream()
                .filter(process -> process.isAlive() && process.ready().isPresent())
                .toList();
    }

    /** The process ids of these. */
    public List<Long> pids() {
        return working().stream().map(ChildProcess::pid).toList();
    }

    /**
     * Waits until the ready processes match a condition, which is checked whenever a process becomes ready or exits.
     *
     * @return false on timeout, or if a process exited before it was ready
     */
    public synchronized boolean await(Predicate<List<ChildProcess>> wanted, Duration atMost)
            throws InterruptedException {
        int before = endedBeforeTheyWorked;
        long end = System.nanoTime() + atMost.toNanos();
        while (!wanted.test(working())) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0 || endedBeforeTheyWorked > before) {
                return false;
            }
            wait(left);
        }
        return true;
    }

    /** {@code kill -9}. Returns whether there is such a process. */
    public boolean kill(long pid) {
        List<ChildProcess> found =
                processes.stream().filter(process -> process.pid() == pid).toList();
        found.forEach(ChildProcess::kill);
        return !found.isEmpty();
    }

    /** The number of processes that have been replaced so far. */
    public int replaced() {
        return replaced;
    }

    /**
     * Lets every process finish its current work, and kills those that take too long. No process is left afterwards.
     */
    @Override
    public void close() {
        synchronized (this) {
            closing = true;
        }
        processes.forEach(ChildProcess::end);
        long end = System.nanoTime() + timeToEnd.toNanos();
        processes.forEach(process -> process.awaitEnd(Duration.ofNanos(Math.max(0, end - System.nanoTime()))));
    }
}
