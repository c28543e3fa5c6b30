package io.counterpoint.idempotency.examples.appplatform.execution;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A process of {@link WorkerMain}, as the process sees it that started it. */
final class WorkerProcess {

    private final Process process;
    private volatile @Nullable UUID worker;

    private WorkerProcess(Process process) {
        this.process = process;
    }

    /**
     * Starts one.
     *
     * @param arguments of {@link WorkerMain}
     * @param said gets every line that it says
     * @param ended is called when the process has ended
     */
    static WorkerProcess start(
            DatabaseAddress database, List<String> arguments, Consumer<String> said, Consumer<WorkerProcess> ended)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                WorkerMain.class.getName()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        database.into(builder.environment(), WorkerMain.ENVIRONMENT);
        WorkerProcess started = new WorkerProcess(builder.start());
        Thread reader = new Thread(() -> started.read(said, ended), "worker " + started.pid());
        reader.setDaemon(true);
        reader.start();
        return started;
    }

    private void read(Consumer<String> said, Consumer<WorkerProcess> ended) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(WorkerMain.READY)) {
                    worker = UUID.fromString(line.substring(WorkerMain.READY.length()));
                }
                said.accept("worker " + pid() + ": " + line);
            }
            int unused = process.waitFor();
        } catch (IOException closed) {
            // The process has ended.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            ended.accept(this);
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Its id in the table of workers, once it works. */
    Optional<UUID> worker() {
        return Optional.ofNullable(worker);
    }

    /** {@code kill -9}. */
    void kill() {
        Process unused = process.destroyForcibly();
    }

    /** Lets it end what it runs. */
    void end() {
        try {
            process.getOutputStream().close();
        } catch (IOException gone) {
            // It has ended already.
        }
    }

    /** Waits so long at most; then kills it. */
    void awaitEnd(Duration atMost) {
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
}
