package io.counterpoint.idempotency.examples.appplatform.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.examples.appplatform.process.JavaProgram;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A leader in a process of its own, which is a real one: it can be paused and killed. */
final class LeaderProcess implements AutoCloseable {

    private static final long SECONDS_TO_STOP = 60;

    private final Process process;
    private final Consumer<String> said;
    private boolean isStopped;
    private boolean isPaused;
    private boolean hasEnded;

    private LeaderProcess(Process process, Consumer<String> said) {
        this.process = process;
        this.said = said;
    }

    /**
     * Starts one.
     *
     * @param said gets every line that it says, and that it has ended
     */
    static LeaderProcess start(
            DatabaseAddress database, String key, LeaderStep stop, boolean takesOver, Consumer<String> said)
            throws IOException {
        Map<String, String> environment = new HashMap<>();
        database.into(environment, LeaderMain.ENVIRONMENT);
        JavaProgram program = new JavaProgram(
                "leader",
                LeaderMain.class,
                LeaderMain.STOPPED,
                List.of(),
                List.of(key, stop.name(), Boolean.toString(takesOver)),
                environment);
        LeaderProcess leader = new LeaderProcess(program.builder().start(), said);
        Thread reader = new Thread(leader::read, "leader " + leader.process.pid());
        reader.setDaemon(true);
        reader.start();
        return leader;
    }

    private void read() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                said.accept(line);
                if (line.startsWith(LeaderMain.STOPPED)) {
                    synchronized (this) {
                        isStopped = true;
                        notifyAll();
                    }
                }
            }
            int exitCode = process.waitFor();
            said.accept(exitCode == 0 ? "ended" : "is dead, exit code " + exitCode);
        } catch (IOException closed) {
            said.accept("is gone");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            synchronized (this) {
                hasEnded = true;
                notifyAll();
            }
        }
    }

    long pid() {
        return process.pid();
    }

    /** Waits until it is at its step, or has ended. */
    synchronized void awaitStop() throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_TO_STOP);
        while (!isStopped && !hasEnded && System.nanoTime() < end) {
            wait(1_000);
        }
    }

    /** Waits until it has ended. */
    synchronized void awaitEnd() throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_TO_STOP);
        while (!hasEnded && System.nanoTime() < end) {
            wait(1_000);
        }
    }

    /** Whether it waits at its step. */
    synchronized boolean isAtItsStep() {
        return isStopped && !hasEnded;
    }

    synchronized boolean hasEnded() {
        return hasEnded;
    }

    synchronized boolean isPaused() {
        return isPaused;
    }

    /** Lets it go on, also from a pause. */
    void goOn() throws IOException, InterruptedException {
        synchronized (this) {
            isStopped = false;
            isPaused = false;
        }
        signal("-CONT");
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    /** Stops the process where it is, as a machine that stalls does. */
    void pause() throws IOException, InterruptedException {
        signal("-STOP");
        synchronized (this) {
            isPaused = true;
        }
    }

    private void signal(String which) throws IOException, InterruptedException {
        int exitCode = new ProcessBuilder("kill", which, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (exitCode != 0) {
            throw new IOException("kill " + which + " ended with " + exitCode + ".");
        }
    }

    /** {@code kill -9}; returns when the process is gone. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        int unused = process.waitFor();
        awaitEnd();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
