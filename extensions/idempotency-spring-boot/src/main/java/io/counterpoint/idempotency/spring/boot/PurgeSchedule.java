package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.spring.boot.IdempotencyProperties.Purge;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Purges expired records on a thread of its own, from the start of the application to its end. All nodes may do so: the
 * statement passes over records that others delete.
 */
final class PurgeSchedule implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(PurgeSchedule.class);

    private final Idempotency<?> idempotency;
    private final Purge purge;
    private @Nullable ScheduledExecutorService executor;

    PurgeSchedule(Idempotency<?> idempotency, Purge purge) {
        this.idempotency = idempotency;
        this.purge = purge;
    }

    @Override
    public synchronized void start() {
        ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "idempotency-purge");
            thread.setDaemon(true);
            return thread;
        });
        long pause = purge.interval().toMillis();
        var unused = started.scheduleWithFixedDelay(this::purge, pause, pause, TimeUnit.MILLISECONDS);
        executor = started;
    }

    /** Deletes batch after batch until one is not full. What goes wrong is logged, and the next run tries again. */
    void purge() {
        try {
            while (idempotency.purgeExpired(purge.batch()) == purge.batch()
                    && !Thread.currentThread().isInterrupted()) {
                // Another batch may be expired.
            }
        } catch (RuntimeException thrown) {
            LOG.warn("Expired idempotency records were not purged; the next run is in {}.", purge.interval(), thrown);
        }
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
