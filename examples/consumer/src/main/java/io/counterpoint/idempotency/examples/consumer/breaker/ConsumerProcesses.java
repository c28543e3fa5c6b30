package io.counterpoint.idempotency.examples.consumer.breaker;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.inbox.InboxListener.Counts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The processes that consume. What each prints arrives here. */
final class ConsumerProcesses implements AutoCloseable {

    private final List<String> arguments;
    private final List<Process> running = new ArrayList<>();
    private final BlockingQueue<Counts> handled = new LinkedBlockingQueue<>();

    ConsumerProcesses(Options options, String url, String bootstrapServers) {
        arguments = new ArrayList<>(List.of(url, bootstrapServers, Integer.toString(options.batch)));
        if (options.unprotected) {
            arguments.add("unprotected");
        }
    }

    void start() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx192m",
                "-cp",
                System.getProperty("java.class.path"),
                ConsumerMain.class.getName()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        running.add(process);
        Thread reader = new Thread(() -> read(process));
        reader.setDaemon(true);
        reader.start();
    }

    private void read(Process process) {
        try (BufferedReader output = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                List<String> counts = List.of(line.split(" ", -1));
                if (counts.size() == 4) {
                    handled.add(new Counts(
                            Integer.parseInt(counts.get(0)),
                            Integer.parseInt(counts.get(1)),
                            Integer.parseInt(counts.get(2)),
                            Integer.parseInt(counts.get(3))));
                }
            }
        } catch (IOException | NumberFormatException killed) {
            // The last line of a killed process may be cut.
        }
    }

    /** The next batch that a consumer has handled. */
    @Nullable
    Counts next(long millis) throws InterruptedException {
        return handled.poll(millis, TimeUnit.MILLISECONDS);
    }

    /** Starts others for those that have ended by themselves, such as at their start while the broker was down. */
    void replaceEnded() throws IOException {
        int ended = running.size();
        running.removeIf(process -> !process.isAlive());
        ended -= running.size();
        for (int i = 0; i < ended; i++) {
            start();
        }
    }

    /** Kills one, and starts another. */
    void replace(int which) throws IOException, InterruptedException {
        Process killed = running.remove(which);
        killed.destroyForcibly();
        int unused = killed.waitFor();
        start();
    }

    @Override
    public void close() {
        running.forEach(Process::destroyForcibly);
    }
}
