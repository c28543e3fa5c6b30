package io.counterpoint.idempotency.programs.process;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Repeats work on a separate thread, even after failures. */
public final class Repeated implements AutoCloseable {

    private final String name;
    private final Runnable work;
    private final Consumer<String> log;
    private final ScheduledExecutorService thread;

    /**
     * Does nothing until {@link #every}.
     *
     * @param name the name of its thread, and the prefix of its log messages
     */
    public Repeated(String name, Runnable work, Consumer<String> log) {
        this.name = name;
        this.work = work;
        this.log = log;
        thread = Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, name));
    }

    /** Starts, after a first pause. */
    public void every(Duration pause) {
        long millis = Math.max(1, pause.toMillis());
        var unused = thread.scheduleWithFixedDelay(this::once, millis, millis, TimeUnit.MILLISECONDS);
    }

    private void once() {
        try {
            work.run();
        } catch (RuntimeException | Error fault) {
            // Catch everything, because otherwise the work would never be repeated.
            log.accept(name + ": " + fault);
        }
    }

    /** Stops. Work in progress has ten seconds to finish. */
    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(10, TimeUnit.SECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            thread.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
