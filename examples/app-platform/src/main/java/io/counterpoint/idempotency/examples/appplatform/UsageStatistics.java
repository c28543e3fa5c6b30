package io.counterpoint.idempotency.examples.appplatform;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.programs.process.Repeated;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/**
 * How many executions each workspace has had, by windows of ten seconds. Nothing is counted while an execution is triggered.
 * A round counts the windows anew that are not sealed, in one transaction, so a round that dies or comes twice changes
 * nothing. A window is sealed when it has ended two minutes ago.
 *
 * <p>Not counted by a round: an execution whose transaction lasts longer than these two minutes. A check finds it, and its
 * repair counts the workspace's sealed windows anew.
 */
final class UsageStatistics implements AutoCloseable {

    static final Bound BOUND = new Bound(
            "usage statistics",
            "executions counted by windows of 10 s, every second",
            "nothing: a window is counted anew, until it is sealed after 2 min",
            Duration.ofMinutes(1));

    private static final Duration EVERY = Duration.ofSeconds(1);
    private static final Duration SEALED_AFTER = Duration.ofMinutes(2);
    private static final long WINDOW_SECONDS = 10;

    /** The window of a row of the table of executions: its first second since 1970. */
    private static final String WINDOW =
            "CAST(FLOOR(EXTRACT(EPOCH FROM triggered_at) / " + WINDOW_SECONDS + ") AS bigint) * " + WINDOW_SECONDS;

    private static final String SEALED_UNTIL = "(SELECT sealed_until FROM usage_progress WHERE id = 1)";

    /** A condition on a workspace: one of its sealed windows has another number of executions, or is missing. */
    static final String WRONG_WORKSPACE = """
            EXISTS (SELECT 1 FROM usage_window u WHERE u.workspace_id = workspace.id AND u.window_start < %2$s
                AND u.executions <> (SELECT count(*) FROM execution x
                    WHERE x.workspace_id = workspace.id AND %1$s = u.window_start))
            OR EXISTS (SELECT 1 FROM execution x WHERE x.workspace_id = workspace.id AND %1$s < %2$s
                AND NOT EXISTS (SELECT 1 FROM usage_window u WHERE u.workspace_id = workspace.id
                    AND u.window_start = %1$s))
            """.formatted(WINDOW, SEALED_UNTIL);

    /**
     * How far rounds are.
     *
     * @param sealedUntil windows before this second are sealed
     * @param countedAt when the last round began
     * @param now by the clock of the database
     */
    private record Progress(long sealedUntil, Instant countedAt, Instant now) {}

    /**
     * What a round has counted for the first time.
     *
     * @param executions their number
     * @param waited how long ago the first of them was triggered, when the round began
     */
    private record Round(long executions, Duration waited) {}

    private final Transactions transactions;
    private final Runnable beforeCommit;
    private final Lag lag = new Lag(BOUND);
    private final Repeated rounds;

    /** Counts nothing before {@link #start}; what it is given runs in the transaction of each round, at its end. */
    UsageStatistics(Transactions transactions, Runnable beforeCommit, Consumer<String> log) {
        this.transactions = transactions;
        this.beforeCommit = beforeCommit;
        rounds = new Repeated("usage statistics", () -> aggregate(EVERY.dividedBy(2)), log);
    }

    /** Every node begins rounds; one whose turn has come too early leaves it at that. */
    void start() {
        rounds.every(EVERY);
    }

    Lag lag() {
        return lag;
    }

    /** A round, whenever the last one was. */
    void aggregate() {
        aggregate(Duration.ZERO);
    }

    private void aggregate(Duration sinceTheLast) {
        long began = System.nanoTime();
        Round round = transactions.inTransaction(READ_COMMITTED, handle -> {
            Round counted = count(handle, sinceTheLast);
            beforeCommit.run();
            return counted;
        });
        if (round.executions() > 0) {
            lag.seen(round.executions(), round.waited().plusNanos(System.nanoTime() - began));
        }
    }

    /** A round in a transaction. */
    static void countAll(Handle handle) {
        var unused = count(handle, Duration.ZERO);
    }

    /** The row of the progress lets one round count at a time, on whichever node. */
    private static Round count(Handle handle, Duration sinceTheLast) {
        Progress progress = handle.createQuery(
                        "SELECT sealed_until, counted_at, CURRENT_TIMESTAMP FROM usage_progress WHERE id = 1 FOR UPDATE")
                .map((row, context) -> new Progress(
                        row.getLong(1),
                        row.getObject(2, OffsetDateTime.class).toInstant(),
                        row.getObject(3, OffsetDateTime.class).toInstant()))
                .one();
        if (progress.countedAt().plus(sinceTheLast).isAfter(progress.now())) {
            return new Round(0, Duration.ZERO);
        }
        handle.execute("DELETE FROM usage_window WHERE window_start >= ?", progress.sealedUntil());
        handle.execute(
                "INSERT INTO usage_window (workspace_id, window_start, executions) SELECT workspace_id, " + WINDOW
                        + ", count(*) FROM execution WHERE triggered_at >= ? GROUP BY workspace_id, " + WINDOW,
                Instant.ofEpochSecond(progress.sealedUntil()).atOffset(ZoneOffset.UTC));
        long sealed =
                Math.floorDiv(progress.now().minus(SEALED_AFTER).getEpochSecond(), WINDOW_SECONDS) * WINDOW_SECONDS;
        handle.execute(
                "UPDATE usage_progress SET sealed_until = ?, counted_at = ? WHERE id = 1",
                Math.max(progress.sealedUntil(), sealed),
                progress.now().atOffset(ZoneOffset.UTC));
        return handle.createQuery("SELECT count(*), MIN(triggered_at) FROM execution WHERE triggered_at > ?")
                .bind(0, progress.countedAt().atOffset(ZoneOffset.UTC))
                .map((row, context) -> {
                    OffsetDateTime first = row.getObject(2, OffsetDateTime.class);
                    return new Round(
                            row.getLong(1),
                            first == null ? Duration.ZERO : Duration.between(first.toInstant(), progress.now()));
                })
                .one();
    }

    /** Counts the sealed windows of a workspace anew. Rounds count the others. */
    static void rebuild(Handle handle, Object workspace) {
        handle.execute("DELETE FROM usage_window WHERE workspace_id = ? AND window_start < " + SEALED_UNTIL, workspace);
        handle.execute(
                "INSERT INTO usage_window (workspace_id, window_start, executions) SELECT workspace_id, " + WINDOW
                        + ", count(*) FROM execution WHERE workspace_id = ? AND " + WINDOW + " < " + SEALED_UNTIL
                        + " GROUP BY workspace_id, " + WINDOW,
                workspace);
    }

    /** Lets the next round count every window anew: the executions are right. */
    static void rebuildAll(Handle handle) {
        handle.execute("UPDATE usage_progress SET sealed_until = 0 WHERE id = 1");
    }

    /** Whether rounds have counted every execution. A sealed window is the check's. */
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
