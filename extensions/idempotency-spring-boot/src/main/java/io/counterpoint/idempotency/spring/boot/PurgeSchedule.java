package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.spring.boot.IdempotencyProperties.Purge;

/** Purges expired records. All nodes may do so: the statement passes over records that others delete. */
final class PurgeSchedule extends RepeatedTask {

    private final Idempotency<?> idempotency;
    private final Purge purge;

    PurgeSchedule(Idempotency<?> idempotency, Purge purge) {
        super("idempotency-purge", purge.interval(), purge.interval());
        this.idempotency = idempotency;
        this.purge = purge;
    }

    /** Deletes batch after batch until one is not full. */
    @Override
    void run() {
        while (idempotency.purgeExpired(purge.batch()) == purge.batch()
                && !Thread.currentThread().isInterrupted()) {
            // Another batch may be expired.
        }
    }
}
