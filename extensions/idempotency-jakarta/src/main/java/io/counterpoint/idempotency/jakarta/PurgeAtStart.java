package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.Idempotency;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Purges expired records. All nodes may do so: the statement passes over records that others delete. */
@ApplicationScoped
class PurgeAtStart {

    private static final System.Logger LOG = System.getLogger(PurgeAtStart.class.getName());

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread daemon = new Thread(task, "idempotency-purge");
        daemon.setDaemon(true);
        return daemon;
    });

    void start(Idempotency<?> idempotency) {
        if (Settings.isSet("idempotency.purge.enabled", true)) {
            Duration pause = Settings.duration("idempotency.purge.interval", "1m");
            int batch = Integer.parseInt(Settings.of("idempotency.purge.batch").orElse("1000"));
            var unused = thread.scheduleWithFixedDelay(
                    () -> purge(idempotency, batch), pause.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** The repetition would end, and nobody would know, with the first exception or error that came out of this. */
    private static void purge(Idempotency<?> idempotency, int batch) {
        try {
            while (idempotency.purgeExpired(batch) == batch
                    && !Thread.currentThread().isInterrupted()) {
                // Another batch may be expired.
            }
        } catch (RuntimeException | Error thrown) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The purge of expired records has failed. It will be tried again.",
                    thrown);
        }
    }

    @PreDestroy
    void stop() {
        thread.shutdownNow();
    }
}
