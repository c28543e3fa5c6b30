package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.check.Check;
import io.counterpoint.idempotency.consistency.check.Repair;
import io.counterpoint.idempotency.consistency.check.Schedule;
import io.counterpoint.idempotency.consistency.check.Severity;
import io.counterpoint.idempotency.consistency.transition.StateGraph;
import io.counterpoint.idempotency.examples.appplatform.PlatformChecks.Row;
import io.counterpoint.idempotency.examples.appplatform.usecase.AppStatus;
import io.counterpoint.idempotency.examples.appplatform.usecase.DatabaseStatus;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** States that no row may have, and states that claim what is not there. */
final class StateChecks {

    private static final String ENDED = "status IN ('succeeded', 'failed')";

    private StateChecks() {}

    /** Nobody knows what the row was meant to be, so only an operator can mend it; a missing end is set. */
    static Row states() {
        String endless = ENDED + " AND completed_at IS NULL";
        Check check = Check.named("states")
                .severity(Severity.ERROR)
                .schedule(Schedule.hourly())
                .sampleLimit(3)
                .sql("SELECT id, 'app' AS kind, status FROM app WHERE status NOT IN "
                        + stored(AppStatus.graph(), AppStatus.values())
                        + " UNION ALL SELECT id, 'database of an app', database_status FROM app"
                        + " WHERE database_status NOT IN "
                        + stored(DatabaseStatus.graph(), DatabaseStatus.values())
                        + " UNION ALL SELECT id, 'execution', status FROM execution WHERE status <> 'running' AND NOT "
                        + ENDED
                        + " UNION ALL SELECT id, 'execution without its end', status FROM execution WHERE " + endless)
                .build();
        return new Row(
                "states that do not exist, and executions that ended without a time",
                check,
                "sets the time; leaves unknown states to an operator",
                List.of(Repair.of(check)
                        .table("execution")
                        .where(endless)
                        .set("completed_at = CURRENT_TIMESTAMP")
                        .recording("status", "completed_at")
                        .build()));
    }

    private static <S extends Enum<S>> String stored(StateGraph<S> graph, S[] states) {
        return Arrays.stream(states)
                .map(state -> "'" + graph.text(state) + "'")
                .collect(Collectors.joining(", ", "(", ")"));
    }

    /** A policy is inserted in the transaction that publishes; what is doubled came by another way. */
    static Row doubledPolicies() {
        String later = "EXISTS (SELECT 1 FROM app_policy other WHERE other.app_id = app_policy.app_id"
                + " AND other.id < app_policy.id)";
        Check check = Check.named("doubled-policies")
                .severity(Severity.ERROR)
                .schedule(Schedule.daily())
                .sampleLimit(3)
                .sql("SELECT id, app_id FROM app_policy WHERE " + later)
                .build();
        return new Row(
                "second policies of an app",
                check,
                "deletes all but one",
                List.of(Repair.of(check)
                        .table("app_policy")
                        .where(later)
                        .delete()
                        .recording("app_id", "access")
                        .build()));
    }

    /** The server of databases is asked, since the state alone proves nothing. */
    static Row readyWithoutSchema(Events events, String missing) {
        String without = "database_status = 'ready' AND deleted_at IS NULL AND " + missing;
        Check check = Check.named("ready-without-schema")
                .severity(Severity.ERROR)
                .schedule(Schedule.daily())
                .sampleLimit(3)
                .sql("SELECT id, workspace_id FROM app WHERE " + without)
                .build();
        return new Row(
                "apps whose database is ready and not on the server",
                check,
                "sets them back, so that it can be provisioned again",
                List.of(Repair.of(check)
                        .table("app")
                        .where(without)
                        .set("database_status = 'none'")
                        .recording("database_status")
                        .onChanged(events::appChanged)
                        .build()));
    }
}
