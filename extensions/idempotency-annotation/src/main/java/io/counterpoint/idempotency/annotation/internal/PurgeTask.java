package io.counterpoint.idempotency.annotation.internal;

import io.counterpoint.idempotency.Idempotency;
import java.time.Duration;

/** Purges expired records. All nodes may do so, because the statement skips records that others are deleting. */
public class PurgeTask extends RepeatedTask {

    private final Idempotency<?> idempotency;
    private final int batch;

    public PurgeTask(Idempotency<?> idempotency, Duration interval, int batch) {
        super("idempotency-purge", interval, interval);
        this.idempotency = idempotency;
        this.batch = batch;
    }

    /** Deletes batches until one is not full. */
    @Override
    public void run() {
        while (idempotency.purgeExpired(batch) == batch
                && !Thread.currentThread().isInterrupted()) {
            // Another batch may have expired.
        }
    }
}
