package io.counterpoint.idempotency.examples.appplatform;

import java.time.Duration;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/** The lags of all parts, measured in their tables, so they include all nodes and worker processes. */
record MeasuredLags(Jdbi jdbi) {

    private static final Bound LOGS = new Bound(
            "execution logs",
            "batches of up to 500 lines; one is collected while another is written",
            "the execution and the line's number make its primary key",
            Duration.ofSeconds(1));
    private static final Bound RUNS = new Bound(
            "executions",
            "an event for each, which one of the worker processes takes",
            "the execution is a key of the library",
            Duration.ofMinutes(1));

    /** In the order of their bounds. */
    static final List<Bound> PARTS = List.of(LOGS, SearchIndex.BOUND, ShownApps.BOUND, RUNS, UsageStatistics.BOUND);

    /** The parts in order. Anything appended or triggered before the measurement is ignored. */
    private static final String MEASURED = """
            SELECT 0 AS part, sum(lines), max(longest_wait) FROM worker
            UNION ALL SELECT 1, count(*), EXTRACT(EPOCH FROM max(published_at - appended_at)) * 1000
                FROM outbox_event, lag_measurement WHERE topic = 'search' AND appended_at > since
                    AND published_at IS NOT NULL
            UNION ALL SELECT 2, count(*), EXTRACT(EPOCH FROM max(published_at - appended_at)) * 1000
                FROM outbox_event, lag_measurement WHERE topic = 'cache' AND appended_at > since
                    AND published_at IS NOT NULL
            UNION ALL SELECT 3, count(*), EXTRACT(EPOCH FROM max(completed_at - triggered_at)) * 1000
                FROM execution, lag_measurement WHERE status = 'succeeded' AND triggered_at > since
            UNION ALL SELECT 4, executions, longest_wait FROM usage_progress
            ORDER BY part
            """;

    /** Restarts the measurement, by the database's clock. */
    void forget() {
        jdbi.useTransaction(handle -> {
            handle.execute("UPDATE worker SET lines = 0, longest_wait = 0");
            handle.execute("UPDATE usage_progress SET executions = 0, longest_wait = 0");
            handle.execute("UPDATE lag_measurement SET since = CURRENT_TIMESTAMP");
        });
    }

    List<Lag> now() {
        return jdbi.withHandle(handle -> handle.createQuery(MEASURED)
                .map((row, context) ->
                        new Lag(PARTS.get(row.getInt(1)), row.getLong(2), Duration.ofMillis((long) row.getDouble(3))))
                .list());
    }
}
