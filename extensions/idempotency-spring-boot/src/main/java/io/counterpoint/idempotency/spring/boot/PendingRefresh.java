package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.annotation.internal.RepeatedTask;
import io.counterpoint.idempotency.micrometer.PendingRecords;
import java.sql.SQLException;
import java.time.Duration;
import org.springframework.context.SmartLifecycle;

/** Reads the pending records for their gauges. */
final class PendingRefresh extends RepeatedTask implements SmartLifecycle {

    private final PendingRecords pending;

    PendingRefresh(PendingRecords pending, Duration interval) {
        super("idempotency-pending", Duration.ZERO, interval);
        this.pending = pending;
    }

    /** The gauge of the last refresh shows how long ago one succeeded. */
    @Override
    public void run() throws SQLException {
        pending.refresh();
    }
}
