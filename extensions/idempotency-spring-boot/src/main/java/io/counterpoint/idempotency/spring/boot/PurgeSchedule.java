package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.spring.boot.IdempotencyProperties.Purge;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Purges expired records. All nodes may do so: the statement passes over records that others delete. */
final class PurgeSchedule extends RepeatedTask {

    private static final Logger LOG = LoggerFactory.getLogger(PurgeSchedule.class);

    private final Idempotency<?> idempotency;
    private final Purge purge;

    PurgeSchedule(Idempotency<?> idempotency, Purge purge) {
        super("idempotency-purge", purge.interval(), purge.interval());
        this.idempotency = idempotency;
        this.purge = purge;
    }

    /** Deletes batch after batch until one is not full. What goes wrong is logged, and the next run tries again. */
    @Override
    void run() {
        try {
            while (idempotency.purgeExpired(purge.batch()) == purge.batch()
                    && !Thread.currentThread().isInterrupted()) {
                // Another batch may be expired.
            }
        } catch (RuntimeException thrown) {
            LOG.warn("Expired idempotency records were not purged; the next run is in {}.", purge.interval(), thrown);
        }
    }
}
