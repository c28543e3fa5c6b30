package io.counterpoint.idempotency.spring.boot;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/** A task that runs again and again on a thread of its own, from the start of the application to its end. */
abstract class RepeatedTask implements SmartLifecycle {

    private final String thread;
    private final Duration first;
    private final Duration pause;
    private @Nullable ScheduledExecutorService executor;

    RepeatedTask(String thread, Duration first, Duration pause) {
        this.thread = thread;
        this.first = first;
        this.pause = pause;
    }

    /** Runs once. It throws nothing: an exception would end the repetition. */
    abstract void run();

    @Override
    public synchronized void start() {
        ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread daemon = new Thread(task, thread);
            daemon.setDaemon(true);
            return daemon;
        });
        var unused =
                started.scheduleWithFixedDelay(this::run, first.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS);
        executor = started;
    }

    @Override
    public synchronized void stop() {
        if (executor != null) {
            executor.shutdownNow();
            executor = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return executor != null;
    }
}
