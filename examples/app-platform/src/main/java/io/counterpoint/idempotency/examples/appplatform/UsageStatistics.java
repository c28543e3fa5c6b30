package io.counterpoint.idempotency.examples.appplatform;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.programs.process.Repeated;
import java.time.Duration;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/**
 * The number of executions of each workspace in windows of ten seconds. Triggering an execution counts nothing;
 * instead, a round recounts all windows that are not sealed, in one transaction, so a round that dies or runs twice
 * does no harm. A window is sealed two minutes after it ended.
 *
 * <p>A round misses an execution whose transaction takes longer than these two minutes. A check finds it, and the
 * repair recounts the workspace's sealed windows.
 */
final class UsageStatistics implements AutoCloseable {

    static final Bound BOUND = new Bound(
            "usage statistics",
            "executions counted by windows of 10 s, every second",
            "nothing: a window is recounted until it is sealed after 2 min",
            Duration.ofMinutes(1));

    private static final Duration EVERY = Duration.ofSeconds(1);
    private static final Duration SEALED_AFTER = Duration.ofMinutes(2);
    private static final long WINDOW_SECONDS = 10;

    /** The window of a row in the execution table: its first second since 1970. */
    private static final String WINDOW =
            "CAST(FLOOR(EXTRACT(EPOCH FROM triggered_at) / " + WINDOW_SECONDS + ") AS bigint) * " + WINDOW_SECONDS;

    private static final String SEALED_UNTIL = "(SELECT sealed_until FROM usage_progress WHERE id = 1)";

    /** Ends a round. Executions counted for the first time are those triggered since the last round. */
    private static final String SEAL = """
            UPDATE usage_progress SET counted_at = CURRENT_TIMESTAMP, executions = executions + fresh.number,
                longest_wait = GREATEST(longest_wait, fresh.millis), sealed_until = GREATEST(sealed_until,
                    CAST(FLOOR((EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) - %d) / %2$d) AS bigint) * %2$d)
            FROM (SELECT count(*) AS number,
                    COALESCE(EXTRACT(EPOCH FROM clock_timestamp() - min(x.triggered_at)) * 1000, 0)::bigint AS millis
                FROM execution x JOIN usage_progress p ON p.id = 1 AND x.triggered_at > p.counted_at) fresh
            WHERE id = 1
            """.formatted(SEALED_AFTER.toSeconds(), WINDOW_SECONDS);

    /** A condition on the workspace table: a sealed window has the wrong number of executions, or is missing. */
    static final String WRONG_WORKSPACE = """
            EXISTS (SELECT 1 FROM usage_window u WHERE u.workspace_id = workspace.id AND u.window_start < %2$s
                AND u.executions <> (SELECT count(*) FROM execution x
                    WHERE x.workspace_id = workspace.id AND %1$s = u.window_start))
            OR EXISTS (SELECT 1 FROM execution x WHERE x.workspace_id = workspace.id AND %1$s < %2$s
                AND NOT EXISTS (SELECT 1 FROM usage_window u WHERE u.workspace_id = workspace.id
                    AND u.window_start = %1$s))
            """.formatted(WINDOW, SEALED_UNTIL);

    private final Transactions transactions;
    private final Runnable beforeCommit;
    private final Repeated rounds;

    /** Counts nothing until {@link #start}. Each round calls {@code beforeCommit} at the end of its transaction. */
    UsageStatistics(Transactions transactions, Runnable beforeCommit, Consumer<String> log) {
        this.transactions = transactions;
        this.beforeCommit = beforeCommit;
        rounds = new Repeated("usage statistics", () -> aggregate(EVERY.dividedBy(2)), log);
    }

    /** Every node starts rounds; a round that comes too soon after another does nothing. */
    void start() {
        rounds.every(EVERY);
    }

    /** Runs a round regardless of when the last one ran. */
    void aggregate() {
        aggregate(Duration.ZERO);
    }

    private void aggregate(Duration sinceTheLast) {
        transactions.useTransaction(READ_COMMITTED, handle -> {
            count(handle, sinceTheLast);
            beforeCommit.run();
        });
    }

    /** Runs a round in the caller's transaction. */
    static void countAll(Handle handle) {
        count(handle, Duration.ZERO);
    }

    /** Locking the progress row lets only one round count at a time, on any node. */
    private static void count(Handle handle, Duration sinceTheLast) {
        String open = """
                SELECT sealed_until FROM usage_progress
                WHERE id = 1 AND counted_at <= CURRENT_TIMESTAMP - INTERVAL '%d' SECOND / 1000 FOR UPDATE
                """.formatted(sinceTheLast.toMillis());
        handle.select(open).mapTo(Long.class).findOne().ifPresent(from -> {
            handle.execute("DELETE FROM usage_window WHERE window_start >= ?", from);
            handle.execute(
                    "INSERT INTO usage_window (workspace_id, window_start, executions) SELECT workspace_id, " + WINDOW
                            + ", count(*) FROM execution WHERE triggered_at >= to_timestamp(?) GROUP BY workspace_id, "
                            + WINDOW,
                    from);
            handle.execute(SEAL);
        });
    }

    /** Recounts the sealed windows of a workspace. Rounds recount the others. */
    static void rebuild(Handle handle, Object workspace) {
        handle.execute("DELETE FROM usage_window WHERE workspace_id = ? AND window_start < " + SEALED_UNTIL, workspace);
        handle.execute(
                "INSERT INTO usage_window (workspace_id, window_start, executions) SELECT workspace_id, " + WINDOW
                        + ", count(*) FROM execution WHERE workspace_id = ? AND " + WINDOW + " < " + SEALED_UNTIL
                        + " GROUP BY workspace_id, " + WINDOW,
                workspace);
    }

    /** Makes the next round recount every window from the executions. */
    static void rebuildAll(Handle handle) {
        handle.execute("UPDATE usage_progress SET sealed_until = 0 WHERE id = 1");
    }

    /** Whether rounds have counted every execution. Sealed windows are left to the check. */
    static boolean isCurrent(Handle handle) {
        return handle.createQuery("""
                        SELECT (SELECT count(*) FROM execution WHERE %1$s >= %2$s)
                            = (SELECT COALESCE(sum(executions), 0) FROM usage_window WHERE window_start >= %2$s)
                        """.formatted(WINDOW, SEALED_UNTIL))
                .mapTo(Boolean.class)
                .one();
    }

    static long of(Handle handle, long workspace) {
        String executions = "SELECT COALESCE(sum(executions), 0) FROM usage_window WHERE workspace_id = ?";
        return handle.select(executions, workspace).mapTo(Long.class).one();
    }

    @Override
    public void close() {
        rounds.close();
    }
}
