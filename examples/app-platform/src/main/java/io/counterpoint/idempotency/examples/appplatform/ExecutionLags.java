package io.counterpoint.idempotency.examples.appplatform;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/** How far executions are behind, and their logs: of all workers, which are processes of their own. Thread-safe. */
final class ExecutionLags {

    static final Bound LOGS = new Bound(
            "execution logs",
            "batches of up to 500 lines; the next one is gathered while one is written",
            "the execution and the line's number make its primary key",
            Duration.ofSeconds(1));

    static final Bound RUNS = new Bound(
            "executions",
            "an event for each, which one of the worker processes takes",
            "the execution is a key of the library",
            Duration.ofMinutes(1));

    private final Jdbi jdbi;
    private OffsetDateTime since = Instant.EPOCH.atOffset(ZoneOffset.UTC);

    ExecutionLags(Jdbi jdbi) {
        this.jdbi = jdbi;
    }

    /** Leaves out executions that were triggered before, by the clock of the database. */
    synchronized void start() {
        since = jdbi.withHandle(handle -> handle.createQuery("SELECT CURRENT_TIMESTAMP")
                .mapTo(OffsetDateTime.class)
                .one());
    }

    /** Measures anew from here. */
    void forget() {
        jdbi.useHandle(handle -> handle.execute("UPDATE worker SET lines = 0, longest_wait = 0"));
        start();
    }

    synchronized List<Lag.Measured> measured() {
        return jdbi.withHandle(handle -> List.of(
                handle.createQuery("SELECT COALESCE(sum(lines), 0), COALESCE(max(longest_wait), 0) FROM worker")
                        .map((row, context) ->
                                new Lag.Measured(LOGS, row.getLong(1), Duration.ofMillis(row.getLong(2))))
                        .one(),
                handle.createQuery("""
                                SELECT count(*), COALESCE(max(EXTRACT(EPOCH FROM (completed_at - triggered_at))), 0)
                                FROM execution WHERE status = 'succeeded' AND triggered_at > ?
                                """)
                        .bind(0, since)
                        .map((row, context) -> new Lag.Measured(
                                RUNS,
                                row.getLong(1),
                                Duration.ofMillis(
                                        row.getBigDecimal(2).movePointRight(3).longValue())))
                        .one()));
    }
}
