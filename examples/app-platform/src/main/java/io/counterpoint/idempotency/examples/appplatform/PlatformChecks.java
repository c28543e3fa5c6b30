package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.check.Check;
import io.counterpoint.idempotency.consistency.check.Checks;
import io.counterpoint.idempotency.consistency.check.Repair;
import io.counterpoint.idempotency.consistency.check.Schedule;
import io.counterpoint.idempotency.consistency.check.Severity;
import io.counterpoint.idempotency.examples.appplatform.execution.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What may be wrong with the data in the long run, how it is found and how it is mended. */
final class PlatformChecks {

    /**
     * A check with its repairs.
     *
     * @param finds what it finds
     * @param check finds it
     * @param mends what the repairs do
     * @param repairs mend it, one table each
     */
    record Row(String finds, Check check, String mends, List<Repair> repairs) {}

    private final List<Row> rows;

    /** Checks that take workers for dead after a silence, and repairs that tell of the apps they change. */
    PlatformChecks(Events events, Duration silence, String missingOnServer) {
        rows = List.of(
                orphanApps(events),
                zombieExecutions(silence),
                quota(),
                references(),
                lostWorkspaces(),
                StateChecks.states(),
                StateChecks.doubledPolicies(),
                StateChecks.readyWithoutSchema(events, missingOnServer),
                FollowerChecks.search(events),
                FollowerChecks.usage());
    }

    List<Row> rows() {
        return rows;
    }

    Checks checks() {
        return Checks.of(rows.stream().map(Row::check).toArray(Check[]::new));
    }

    Optional<Row> named(String name) {
        return rows.stream().filter(row -> row.check().name().equals(name)).findFirst();
    }

    private static Row orphanApps(Events events) {
        Check check = Check.named("orphan-apps")
                .severity(Severity.ERROR)
                .schedule(Schedule.daily())
                .sampleLimit(3)
                .sql("""
                        SELECT a.id, a.name, a.workspace_id
                        FROM app a LEFT JOIN workspace w ON w.id = a.workspace_id
                        WHERE w.id IS NULL AND a.deleted_at IS NULL ORDER BY a.id
                        """)
                .build();
        Repair repair = Repair.of(check)
                .table("app")
                .where("deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM workspace w WHERE w.id = app.workspace_id)")
                .set("deleted_at = CURRENT_TIMESTAMP")
                .recording("workspace_id", "deleted_at")
                .onChanged(events::appChanged)
                .build();
        return new Row(
                "apps without a workspace", check, "soft-deletes them, and notifies cache and search", List.of(repair));
    }

    /** Not by age: one whose event waits is going to be run, and one that has run for hours has a worker that is seen. */
    private static Row zombieExecutions(Duration silence) {
        String event = "EXISTS (SELECT 1 FROM outbox_event e WHERE e.topic = '" + Worker.TOPIC
                + "' AND e.payload = CAST(execution.id AS varchar(36)) AND e.published_at IS NULL AND e.parked_at IS ";
        String zombie = "status IN ('queued', 'running') AND NOT " + event + "NULL) AND (" + event
                + "NOT NULL) OR NOT EXISTS (SELECT 1 FROM worker w WHERE w.id = execution.worker AND w.seen_at >"
                + " CURRENT_TIMESTAMP - INTERVAL '" + silence.toSeconds() + "' SECOND))";
        Check check = Check.named("zombie-executions")
                .severity(Severity.WARNING)
                .schedule(Schedule.hourly())
                .sampleLimit(3)
                .sql("SELECT id, status, triggered_at, worker FROM execution WHERE " + zombie + " ORDER BY id")
                .build();
        Repair repair = Repair.of(check)
                .table("execution")
                .where(zombie)
                .set("status = 'failed', error_message = 'The worker died.', completed_at = CURRENT_TIMESTAMP")
                .recording("status", "worker")
                .build();
        return new Row(
                "executions that have not ended, have no event in the queue any more, and no worker that is seen",
                check,
                "marks them failed",
                List.of(repair));
    }

    private static Row quota() {
        Check check = Check.named("quota")
                .severity(Severity.ERROR)
                .schedule(Schedule.daily())
                .sampleLimit(3)
                .sql("""
                        SELECT w.id, w.quota_month, w.quota_left,
                            w.quota_granted - COALESCE(c.charged, 0) AS granted_less_charges
                        FROM workspace w
                        LEFT JOIN (SELECT workspace_id, quota_month, sum(amount) AS charged FROM charge
                            WHERE status <> 'refused' GROUP BY workspace_id, quota_month) c
                            ON c.workspace_id = w.id AND c.quota_month = w.quota_month
                        WHERE w.quota_left <> w.quota_granted - COALESCE(c.charged, 0)
                        ORDER BY w.id
                        """)
                .build();
        String left = "quota_granted - (SELECT COALESCE(sum(c.amount), 0) FROM charge c WHERE c.workspace_id ="
                + " workspace.id AND c.quota_month = workspace.quota_month AND c.status <> 'refused')";
        Repair repair = Repair.of(check)
                .table("workspace")
                .where("quota_left <> " + left)
                .set("quota_left = " + left)
                .recording("quota_left")
                .build();
        return new Row(
                "workspaces whose quota of the month is not what charges leave",
                check,
                "sets it by them",
                List.of(repair));
    }

    private static Row references() {
        Check check = Check.named("references")
                .severity(Severity.WARNING)
                .schedule(Schedule.weekly())
                .sampleLimit(3)
                .sql("""
                        SELECT 'app_version' AS referring, CAST(v.id AS varchar(36)) AS id
                        FROM app_version v WHERE NOT EXISTS (SELECT 1 FROM app a WHERE a.id = v.app_id)
                        UNION ALL SELECT 'app_policy', CAST(p.id AS varchar(36))
                        FROM app_policy p WHERE NOT EXISTS (SELECT 1 FROM app a WHERE a.id = p.app_id)
                        UNION ALL SELECT 'execution_log', CAST(l.id AS varchar(36))
                        FROM execution_log l WHERE NOT EXISTS (SELECT 1 FROM execution e WHERE e.id = l.execution_id)
                        UNION ALL SELECT 'execution', CAST(x.id AS varchar(36))
                        FROM execution x WHERE x.app_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM app a WHERE a.id = x.app_id)
                        """)
                .build();
        return new Row(
                "rows that refer to an app or execution which is not there",
                check,
                "deletes versions, policies and log lines; leaves executions, without their app",
                List.of(
                        dangling(check, "app_version", "app_id", "app"),
                        dangling(check, "app_policy", "app_id", "app"),
                        dangling(check, "execution_log", "execution_id", "execution"),
                        Repair.of(check)
                                .table("execution")
                                .where("app_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM app a WHERE a.id ="
                                        + " execution.app_id)")
                                .set("app_id = NULL")
                                .recording("app_id")
                                .build()));
    }

    /** What was done and paid there is history and money. */
    private static Row lostWorkspaces() {
        Check check = Check.named("lost-workspaces")
                .severity(Severity.WARNING)
                .schedule(Schedule.weekly())
                .sampleLimit(3)
                .sql("""
                        SELECT 'execution' AS referring, CAST(x.id AS varchar(36)) AS id, x.workspace_id
                        FROM execution x WHERE NOT EXISTS (SELECT 1 FROM workspace w WHERE w.id = x.workspace_id)
                        UNION ALL SELECT 'charge', CAST(c.id AS varchar(36)), c.workspace_id
                        FROM charge c WHERE NOT EXISTS (SELECT 1 FROM workspace w WHERE w.id = c.workspace_id)
                        """)
                .build();
        return new Row(
                "executions and charges of a workspace which is not there",
                check,
                "nothing: an operator decides",
                List.of());
    }

    private static Repair dangling(Check check, String table, String column, String referred) {
        return Repair.of(check)
                .table(table)
                .where("NOT EXISTS (SELECT 1 FROM %s r WHERE r.id = %s.%s)".formatted(referred, table, column))
                .delete()
                .recording(column)
                .build();
    }
}
