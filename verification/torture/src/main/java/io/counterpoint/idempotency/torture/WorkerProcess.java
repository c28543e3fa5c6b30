package io.counterpoint.idempotency.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A worker, from the conductor's point of view. */
final class WorkerProcess {

    private final String id;
    private final Process process;
    private final Path errors;
    private final HistoryReader history;
    private final Ledger.Listener listener;
    private final CountDownLatch ready = new CountDownLatch(1);
    private volatile boolean killed;
    private volatile long killedAt;
    private boolean wasRead;

    WorkerProcess(String id, Process process, Path errors, HistoryReader history, Ledger.Listener listener) {
        this.id = id;
        this.process = process;
        this.errors = errors;
        this.history = history;
        this.listener = listener;
        Thread thread = new Thread(this::readOutput, "output of worker " + id);
        thread.setDaemon(true);
        thread.start();
    }

    private void readOutput() {
        try (BufferedReader output = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.equals(Worker.READY)) {
                    ready.countDown();
                }
            }
        } catch (IOException gone) {
            // There is nothing more to read.
        }
        ready.countDown();
    }

    void onEnd(Runnable action) {
        CompletableFuture<Void> unused = process.onExit().thenRun(action);
    }

    String id() {
        return id;
    }

    /** Whether it makes calls, or has exited before it could. */
    boolean isReady() {
        return ready.getCount() == 0;
    }

    /** Sends it an order; a worker that is gone does not receive it. */
    void send(String order) {
        try {
            OutputStream input = process.getOutputStream();
            input.write((order + "\n").getBytes(UTF_8));
            input.flush();
        } catch (IOException gone) {
            // It has exited or was killed.
        }
    }

    /** Kills it as {@code kill -9} does. Returns whether there was anything to kill. */
    boolean kill() {
        boolean alive = process.isAlive();
        killedAt = System.currentTimeMillis();
        killed = true;
        process.destroyForcibly();
        return alive;
    }

    /**
     * Stops it for a while, through a process that resumes it even if this one is killed meanwhile. Returns whether it
     * existed.
     */
    boolean stopFor(long millis) throws IOException, InterruptedException {
        long now = System.currentTimeMillis();
        listener.stopped(new Ledger.Stop(now, now + millis));
        String seconds = millis / 1_000 + "." + String.format("%03d", millis % 1_000);
        return new ProcessBuilder(
                                "sh",
                                "-c",
                                "kill -STOP \"$1\" || exit 1; sleep \"$2\"; kill -CONT \"$1\"; exit 0",
                                "sh",
                                Long.toString(process.pid()),
                                seconds)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }

    /** Waits until it exits. If it does not, it writes a thread dump to its error file and is killed. */
    boolean awaitEnd(long millis) throws IOException, InterruptedException {
        if (process.waitFor(millis, TimeUnit.MILLISECONDS)) {
            return true;
        }
        new ProcessBuilder("sh", "-c", "kill -QUIT \"$1\"", "sh", Long.toString(process.pid()))
                .start()
                .waitFor();
        boolean ended = process.waitFor(1, TimeUnit.SECONDS);
        process.destroyForcibly();
        return ended;
    }

    /** Reads on in its history, or to the end if the worker is gone. Called by one thread. */
    void follow() throws IOException {
        if (wasRead) {
            return;
        }
        boolean gone = !process.isAlive();
        history.readOn();
        if (gone) {
            wasRead = true;
            if (!killed && process.exitValue() != 0 && process.exitValue() != 137) {
                throw new IllegalStateException("worker " + id + " ended by itself with code " + process.exitValue()
                        + ": " + Files.readString(errors));
            }
            listener.gone(killed ? OptionalLong.of(killedAt) : OptionalLong.empty());
        }
    }

    /** The number of its beats in the part of its history that has been read. */
    long beats() {
        return listener.beats();
    }

    boolean isEnded() {
        return wasRead;
    }
}
