package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.check.Check;
import io.counterpoint.idempotency.consistency.check.Checks;
import io.counterpoint.idempotency.consistency.check.Repair;
import io.counterpoint.idempotency.consistency.check.Schedule;
import io.counterpoint.idempotency.consistency.check.Severity;
import io.counterpoint.idempotency.consistency.transition.StateGraph;
import io.counterpoint.idempotency.examples.appplatform.execution.Worker;
import io.counterpoint.idempotency.examples.appplatform.usecase.AppStatus;
import io.counterpoint.idempotency.examples.appplatform.usecase.DatabaseStatus;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What can go wrong with the data over time, and how it is found and repaired. */
final class PlatformChecks {

    /**
     * An execution that runs longer than this has failed from its caller's point of view, even if its worker is alive.
     */
    private static final Duration LONGEST_RUN = Duration.ofHours(1);

    /** The latest month in a workspace's row or any of its charges. */
    private static final String MONTH =
            "GREATEST(workspace.quota_month, COALESCE((SELECT max(m.quota_month) FROM charge m"
                    + " WHERE m.workspace_id = workspace.id), 0))";

    /** Rows that are meaningless without the row that they reference. */
    private static final List<Check> CHILDREN = List.of(
            Check.orphans("app_version", "app_id", "app").build(),
            Check.orphans("app_policy", "app_id", "app").build(),
            Check.orphans("execution_log", "execution_id", "execution").build(),
            Check.orphans("execution_result", "execution_id", "execution").build(),
            Check.orphans("search_entry", "app_id", "app").key("app_id").build());

    private static final Check OF_NO_APP =
            Check.orphans("execution", "app_id", "app").build();

    /** Rows that record history, money or an app's owner. */
    private static final List<Check> LEFT = List.of(
            Check.orphans("execution", "workspace_id", "workspace").build(),
            Check.orphans("charge", "workspace_id", "workspace").build(),
            Check.orphans("usage_window", "workspace_id", "workspace")
                    .key("workspace_id")
                    .build(),
            Check.orphans("workspace_of_user", "workspace_id", "workspace")
                    .key("user_id")
                    .build(),
            Check.orphans("app_by_user", "user_id", "workspace_of_user", "user_id")
                    .build(),
            Check.orphans("app_by_workspace", "workspace_id", "workspace").build());

    /** A check with its repairs: one for each table that they change, or none if an operator has to decide. */
    record Row(Check check, List<Repair> repairs) {

        static Row of(Check.Builder check, UnaryOperator<Repair.Builder> mend) {
            Check built = check.build();
            return new Row(built, List.of(mend.apply(Repair.builder(built)).build()));
        }
    }

    private final List<Row> rows;

    /**
     * Creates the checks. Workers count as dead after a silence; repairs append events for the apps that they change.
     */
    PlatformChecks(Events events, Duration silence) {
        rows = Stream.of(
                        List.of(orphanApps(events), zombies(), lost(silence), quota(), references(), states()),
                        published(events),
                        followers(events))
                .flatMap(List::stream)
                .toList();
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
        return Row.of(
                Check.orphans("app", "workspace_id", "workspace")
                        .named("orphan-apps")
                        .where("deleted_at IS NULL")
                        .showing("name"),
                repair -> repair.set("deleted_at = {now}")
                        .recording("workspace_id", "deleted_at")
                        .onChanged(events::appChanged));
    }

    /** If the worker finishes one of these later, nothing changes, because a result requires a running execution. */
    private static Row zombies() {
        return Row.of(
                Check.tooLongIn("execution", "status", "running", "started_at", LONGEST_RUN)
                        .named("zombie-executions")
                        .severity(Severity.WARNING)
                        .schedule(Schedule.hourly()),
                repair -> failed(repair, "System timeout"));
    }

    /** An execution is not lost while its event is waiting or its worker is alive. */
    private static Row lost(Duration silence) {
        String predicate = """
                status IN ('queued', 'running') AND NOT %1$s NULL) AND (%1$s NOT NULL) OR NOT EXISTS (
                    SELECT 1 FROM worker w WHERE w.id = execution.worker AND w.seen_at > {now} - INTERVAL '%2$s' SECOND))
                """.formatted(
                        "EXISTS (SELECT 1 FROM outbox_event e WHERE e.topic = '" + Worker.TOPIC + "' AND e.payload ="
                                + " CAST(execution.id AS varchar(36)) AND e.published_at IS NULL AND e.parked_at IS",
                        silence.toSeconds());
        return Row.of(
                Check.rows("execution", predicate)
                        .named("lost-executions")
                        .severity(Severity.WARNING)
                        .schedule(Schedule.hourly())
                        .showing("status", "worker"),
                repair -> failed(repair, "No worker has it."));
    }

    private static Repair.Builder failed(Repair.Builder repair, String message) {
        return repair.set("status = 'failed', error_message = '" + message + "', completed_at = {now}");
    }

    /**
     * If the workspace's row is from an earlier month than its latest charge, that charge was not taken from the quota.
     */
    private static Row quota() {
        return Row.of(
                Check.counts(
                                "workspace",
                                "CASE WHEN quota_month < " + MONTH + " THEN 0 ELSE quota_granted - quota_left END",
                                "SELECT sum(c.amount) FROM charge c WHERE c.workspace_id = workspace.id"
                                        + " AND c.status <> 'refused' AND c.quota_month = " + MONTH)
                        .named("quota")
                        .showing("quota_month", "quota_left"),
                repair -> repair.set("quota_left = quota_granted - {counted}, quota_month = " + MONTH));
    }

    private static Row references() {
        Check check = Check.named("references")
                .severity(Severity.WARNING)
                .schedule(Schedule.weekly())
                .parts(Stream.of(CHILDREN, List.of(OF_NO_APP), LEFT)
                        .flatMap(List::stream)
                        .toArray(Check[]::new))
                .build();
        return new Row(
                check,
                Stream.concat(
                                CHILDREN.stream()
                                        .map(part -> Repair.builder(part).delete()),
                                Stream.of(Repair.builder(OF_NO_APP).set("app_id = NULL")))
                        .map(Repair.Builder::build)
                        .toList());
    }

    /** Only an operator can tell what a row with an unknown state was meant to be. */
    private static Row states() {
        Check endless = Check.rows("execution", "status IN ('succeeded', 'failed') AND completed_at IS NULL")
                .named("execution.completed_at")
                .showing("status", "completed_at")
                .build();
        Check check = Check.named("states")
                .schedule(Schedule.hourly())
                .parts(
                        unknown("app", "status", stored(AppStatus.graph(), AppStatus.values())),
                        unknown("app", "database_status", stored(DatabaseStatus.graph(), DatabaseStatus.values())),
                        unknown("execution", "status", "'queued', 'running', 'succeeded', 'failed'"),
                        endless)
                .build();
        return new Row(
                check,
                List.of(Repair.builder(endless).set("completed_at = {now}").build()));
    }

    private static Check unknown(String table, String column, String known) {
        return Check.rows(table, column + " NOT IN (" + known + ")")
                .named(table + "." + column)
                .showing(column)
                .build();
    }

    private static <S extends Enum<S>> String stored(StateGraph<S> graph, S[] states) {
        return Arrays.stream(states).map(state -> "'" + graph.text(state) + "'").collect(Collectors.joining(", "));
    }

    /** The publishing transaction inserts one policy, so a second one came from elsewhere. */
    private static List<Row> published(Events events) {
        String later = "EXISTS (SELECT 1 FROM app_policy other WHERE other.app_id = app_policy.app_id"
                + " AND other.id < app_policy.id)";
        return List.of(
                Row.of(
                        Check.rows("app_policy", later)
                                .named("doubled-policies")
                                .showing("app_id", "access"),
                        Repair.Builder::delete),
                Row.of(
                        Check.rows(
                                        "app",
                                        "database_status = 'ready' AND deleted_at IS NULL AND " + SchemaServer.MISSING)
                                .named("ready-without-schema")
                                .showing("workspace_id", "database_status"),
                        repair -> repair.set("database_status = 'none'").onChanged(events::appChanged)));
    }

    /** Changes whose event or counting round is still pending are late, not wrong, so they are excluded. */
    private static List<Row> followers(Events events) {
        return List.of(
                Row.of(
                        Check.rows("app", SearchIndex.WRONG)
                                .named("search-index")
                                .severity(Severity.WARNING)
                                .showing("workspace_id", "name"),
                        repair -> repair.set("name = name").onChanged(events::appChanged)),
                Row.of(
                        Check.rows("workspace", UsageStatistics.WRONG_WORKSPACE)
                                .named("usage-statistics")
                                .severity(Severity.WARNING),
                        repair -> repair.set("name = name").onChanged(UsageStatistics::rebuild)));
    }
}
