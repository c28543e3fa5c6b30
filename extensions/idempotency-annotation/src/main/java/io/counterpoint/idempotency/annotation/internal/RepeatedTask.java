package io.counterpoint.idempotency.annotation.internal;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A task that runs repeatedly on its own thread while the application is running. */
public abstract class RepeatedTask {

    private static final System.Logger LOG = System.getLogger(RepeatedTask.class.getName());

    private final String thread;
    private final Duration first;
    private final Duration pause;
    private @Nullable ScheduledExecutorService executor;
    private volatile @Nullable Long succeeded;

    protected RepeatedTask(String thread, Duration first, Duration pause) {
        this.thread = thread;
        this.first = first;
        this.pause = pause;
    }

    /** Runs once. Exceptions are logged, and the next run tries again. */
    public abstract void run() throws Exception;

    /** An exception or error that escaped from this method would silently end the repetition. */
    public final void runAndSurvive() {
        try {
            run();
            succeeded = System.nanoTime();
        } catch (Exception | Error thrown) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The task " + thread + " failed; it runs again in " + pause + ".",
                    thrown);
        }
    }

    /** Returns how long ago a run last succeeded; empty before the first one. */
    public final Optional<Duration> age() {
        Long last = succeeded;
        return last == null ? Optional.empty() : Optional.of(Duration.ofNanos(System.nanoTime() - last));
    }

    public synchronized void start() {
        ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread daemon = new Thread(task, thread);
            daemon.setDaemon(true);
            return daemon;
        });
        var unused = started.scheduleWithFixedDelay(
                this::runAndSurvive, first.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS);
        executor = started;
    }

    public synchronized void stop() {
        if (executor != null) {
            executor.shutdownNow();
            executor = null;
        }
    }

    public synchronized boolean isRunning() {
        return executor != null;
    }
}
