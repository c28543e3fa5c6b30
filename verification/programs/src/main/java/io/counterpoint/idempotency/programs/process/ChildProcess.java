package io.counterpoint.idempotency.programs.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.programs.CannotRun;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A process that runs a {@link JavaProgram}, from its parent's point of view. */
public final class ChildProcess {

    /** Observes a process, on a separate thread. */
    public interface Watcher {

        /** Called for every line that the process prints to either of its outputs. */
        void said(ChildProcess process, String line);

        /** Called at most once, after the line that says that the process is ready. */
        default void ready(ChildProcess process) {}

        /** Called once, when the process has exited. Nothing is called after it. */
        default void ended(ChildProcess process) {}
    }

    private final Process process;
    private final JavaProgram program;
    private volatile String last = "";
    private volatile @Nullable String ready;

    private ChildProcess(Process process, JavaProgram program) {
        this.process = process;
        this.program = program;
    }

    /**
     * Starts a process without waiting until it is ready.
     *
     * @throws IOException if it cannot be started
     */
    public static ChildProcess start(JavaProgram program, Watcher watcher) throws IOException {
        ChildProcess started = new ChildProcess(program.builder().start(), program);
        Thread reader = new Thread(() -> started.read(watcher), started.toString());
        reader.setDaemon(true);
        reader.start();
        return started;
    }

    private void read(Watcher watcher) {
        try (BufferedReader lines = process.inputReader(UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                last = line;
                watcher.said(this, line);
                if (ready == null && line.startsWith(program.ready())) {
                    ready = line.substring(program.ready().length());
                    watcher.ready(this);
                }
            }
            int unused = process.waitFor();
        } catch (IOException closed) {
            // The process has exited.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            watcher.ended(this);
        }
    }

    /** The process id. */
    public long pid() {
        return process.pid();
    }

    /** Whether it is running. A killed process may count as alive for a moment. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** The rest of its ready line; empty until it is ready. */
    public Optional<String> ready() {
        return Optional.ofNullable(ready);
    }

    /**
     * Waits until it is ready.
     *
     * @return the rest of its ready line
     * @throws CannotRun if it has exited, or is not ready in time
     */
    public String awaitReady(Duration atMost) throws CannotRun, InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        while (ready == null && process.isAlive() && System.nanoTime() < end) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        return ready().orElseThrow(() -> new CannotRun("The " + program.name() + " did not start: " + last + "."));
    }

    /** Sends a line to its standard input. */
    public void say(String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes(UTF_8));
        process.getOutputStream().flush();
    }

    /** Sends it a signal, such as STOP, with the Unix program {@code kill}. */
    public void signal(String name) throws IOException, InterruptedException {
        int exitCode = new ProcessBuilder("kill", "-" + name, Long.toString(pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (exitCode != 0) {
            throw new IOException("kill -" + name + " ended with " + exitCode + ".");
        }
    }

    /** {@code kill -9}. */
    public void kill() {
        Process unused = process.destroyForcibly();
    }

    /** Lets it finish its current work and exit. */
    public void end() {
        try {
            process.getOutputStream().close();
        } catch (IOException gone) {
            // It has already exited.
        }
    }

    /** Waits for at most this long, and then kills it. */
    public void awaitEnd(Duration atMost) {
        try {
            if (!process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
                kill();
                int unused = process.waitFor();
            }
        } catch (InterruptedException e) {
            kill();
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return program.name() + " " + pid();
    }
}
