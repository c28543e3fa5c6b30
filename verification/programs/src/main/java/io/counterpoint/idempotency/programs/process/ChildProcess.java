package io.counterpoint.idempotency.programs.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.programs.CannotRun;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A process of a {@link JavaProgram}, as the process sees it that started it. */
public final class ChildProcess {

    /** Learns what becomes of a process, in a thread of its own. */
    public interface Watcher {

        /** Gets every line that the process says, on both of its outputs. */
        void said(ChildProcess process, String line);

        /** The process works. Comes once at most, after the line that says so. */
        default void ready(ChildProcess process) {}

        /** The process has ended. Comes once, and nothing comes after it. */
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
     * Starts one, and does not wait until it works.
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
            // The process has ended.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            watcher.ended(this);
        }
    }

    /** The number by which the system knows it. */
    public long pid() {
        return process.pid();
    }

    /** Whether it has not ended yet. A process that was killed may count as alive for a moment. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** What it said about itself when it began to work; empty before. */
    public Optional<String> ready() {
        return Optional.ofNullable(ready);
    }

    /**
     * Waits until it works.
     *
     * @return what it said about itself
     * @throws CannotRun if it has ended, or so much time has passed
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

    /** Sends it a signal, such as STOP, by the program {@code kill} of Unix. */
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

    /** Lets it end what it is at. */
    public void end() {
        try {
            process.getOutputStream().close();
        } catch (IOException gone) {
            // It has ended already.
        }
    }

    /** Waits so long at most; then kills it. */
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
