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
 * Keeps a number of processes of one program. A process that has ended, however it did, is replaced at once, or after a
 * second if it did not get so far as to work. A replacement that cannot be started is tried again every second.
 */
public final class ChildProcesses implements AutoCloseable {

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final JavaProgram program;
    private final Duration timeToEnd;
    private final Consumer<String> log;
    private final Watching watching = new Watching();
    /** Is changed under the lock of this, and read without it. */
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
     * Starts processes, and does not wait until they work.
     *
     * @param timeToEnd how long they have to end when this is closed
     * @param log gets what they say, and who takes whose place
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

        /** Replaces the process in the thread that watched it. */
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

    /** Where none can be started, the place stays empty until the next try. After the end none is wanted. */
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

    /** The processes that work: those that have said so, and have not ended. */
    public List<ChildProcess> working() {
        return processes.stream()
                .filter(process -> process.isAlive() && process.ready().isPresent())
                .toList();
    }

    /** The numbers of those that work. */
    public List<Long> pids() {
        return working().stream().map(ChildProcess::pid).toList();
    }

    /**
     * Waits until the working processes are as wanted, and looks at them whenever one begins to work or has ended.
     *
     * @return false if so much time has passed, or a process has ended before it worked
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

    /** How many processes were replaced up to now. */
    public int replaced() {
        return replaced;
    }

    /** Lets every process end what it is at, and kills it when its time is over. No process is left afterwards. */
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
