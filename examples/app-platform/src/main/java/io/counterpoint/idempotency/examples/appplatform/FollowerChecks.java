package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.check.Check;
import io.counterpoint.idempotency.consistency.check.Repair;
import io.counterpoint.idempotency.consistency.check.Schedule;
import io.counterpoint.idempotency.consistency.check.Severity;
import io.counterpoint.idempotency.examples.appplatform.PlatformChecks.Row;
import java.util.List;

/**
 * Compares what follows events with the tables that it follows. What still waits for an event or a round is late, not
 * wrong, so it is left out.
 */
final class FollowerChecks {

    private FollowerChecks() {}

    /** What nodes have found; each compares its index with the tables. */
    static Row search(Events events) {
        String found = "asked_at IS NULL";
        Check check = Check.named("search-index")
                .severity(Severity.WARNING)
                .schedule(Schedule.daily())
                .sampleLimit(3)
                .sql("SELECT app_id, node_id, in_table, in_index FROM search_difference WHERE " + found)
                .build();
        return new Row(
                "apps that a node's index misses, knows otherwise than the table, or finds although they are gone",
                check,
                "tells the node, which reads them again",
                List.of(Repair.of(check)
                        .table("search_difference")
                        .where(found)
                        .set("asked_at = CURRENT_TIMESTAMP")
                        .recording("app_id", "node_id", "in_table", "in_index")
                        .onChanged(events::searchAgain)
                        .build()));
    }

    /** Statistics against the executions that they count. */
    static Row usage() {
        Check check = Check.named("usage-statistics")
                .severity(Severity.WARNING)
                .schedule(Schedule.daily())
                .sampleLimit(3)
                .sql(UsageStatistics.WRONG)
                .build();
        return new Row(
                "sealed windows of workspaces whose statistics are not the number of their executions",
                check,
                "counts the workspace's windows again",
                List.of(Repair.of(check)
                        .table("workspace")
                        .where(UsageStatistics.WRONG_WORKSPACE)
                        .set("name = name")
                        .onChanged(UsageStatistics::rebuild)
                        .build()));
    }
}
