package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.check.Check;
import io.counterpoint.idempotency.consistency.check.Repair;
import io.counterpoint.idempotency.consistency.check.Schedule;
import io.counterpoint.idempotency.consistency.check.Severity;
import io.counterpoint.idempotency.examples.appplatform.PlatformChecks.Row;
import java.util.List;

/**
 * Compares what follows events with the tables that it follows. What still waits for an event is late, not wrong, so it is
 * left out.
 */
final class FollowerChecks {

    private static final String SEARCH_WAITS = waits(Events.SEARCH, "e.order_key = CAST(app.id AS varchar(36))");
    private static final String USAGE_WAITS = waits(Events.USAGE, "e.payload = CAST(workspace.id AS varchar(20))");

    private FollowerChecks() {}

    private static String waits(String topic, String of) {
        return "EXISTS (SELECT 1 FROM outbox_event e WHERE e.topic = '" + topic + "' AND e.published_at IS NULL AND "
                + of + ")";
    }

    /** What search has and should not have, or the other way round. */
    static Row search() {
        String lost = "deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM search_entry s WHERE s.app_id = app.id"
                + " AND s.workspace_id = app.workspace_id AND s.name = app.name) AND NOT " + SEARCH_WAITS;
        String left = "NOT EXISTS (SELECT 1 FROM app WHERE app.id = search_entry.app_id AND (app.deleted_at IS NULL OR "
                + SEARCH_WAITS + "))";
        Check check = Check.named("search-index")
                .severity(Severity.WARNING)
                .schedule(Schedule.daily())
                .sampleLimit(3)
                .sql("SELECT id, 'not found by its name' AS finding FROM app WHERE " + lost
                        + " UNION ALL SELECT app_id, 'found, and gone' FROM search_entry WHERE " + left)
                .build();
        return new Row(
                "apps that search misses or knows by another name, and apps that it finds although they are gone",
                check,
                "writes and deletes search entries",
                List.of(
                        Repair.of(check)
                                .table("app")
                                .where(lost)
                                .set("name = name")
                                .onChanged(SearchIndex::put)
                                .build(),
                        Repair.of(check)
                                .table("search_entry")
                                .key("app_id")
                                .where(left)
                                .delete()
                                .recording("name")
                                .build()));
    }

    /** Statistics against the executions that they count. */
    static Row usage() {
        String wrong = "COALESCE((SELECT u.executions FROM usage_statistics u WHERE u.workspace_id = workspace.id), 0)"
                + " <> (SELECT count(*) FROM execution x WHERE x.workspace_id = workspace.id) AND NOT " + USAGE_WAITS;
        Check check = Check.named("usage-statistics")
                .severity(Severity.WARNING)
                .schedule(Schedule.daily())
                .sampleLimit(3)
                .sql("SELECT id, COALESCE((SELECT u.executions FROM usage_statistics u WHERE u.workspace_id ="
                        + " workspace.id), 0) AS statistics, (SELECT count(*) FROM execution x WHERE x.workspace_id ="
                        + " workspace.id) AS executions FROM workspace WHERE " + wrong)
                .build();
        return new Row(
                "workspaces whose statistics are not the number of their executions",
                check,
                "counts them again",
                List.of(Repair.of(check)
                        .table("workspace")
                        .where(wrong)
                        .set("name = name")
                        .onChanged(UsageStatistics::rebuild)
                        .build()));
    }
}
