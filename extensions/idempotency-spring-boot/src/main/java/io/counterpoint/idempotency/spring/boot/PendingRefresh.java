package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.micrometer.PendingRecords;
import java.sql.SQLException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the pending records for their gauges. */
final class PendingRefresh extends RepeatedTask {

    private static final Logger LOG = LoggerFactory.getLogger(PendingRefresh.class);

    private final PendingRecords pending;
    private final Duration interval;

    PendingRefresh(PendingRecords pending, Duration interval) {
        super("idempotency-pending", Duration.ZERO, interval);
        this.pending = pending;
        this.interval = interval;
    }

    /** What goes wrong is logged and seen in the gauge of the last refresh, and the next one tries again. */
    @Override
    void run() {
        try {
            pending.refresh();
        } catch (SQLException | RuntimeException thrown) {
            LOG.warn("The pending idempotency records were not read; the next refresh is in {}.", interval, thrown);
        }
    }
}
