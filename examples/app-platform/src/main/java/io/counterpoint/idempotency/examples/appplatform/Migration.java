package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.comparison.Change;
import io.counterpoint.idempotency.consistency.comparison.Comparison;
import io.counterpoint.idempotency.consistency.comparison.ComparisonReview;
import io.counterpoint.idempotency.consistency.comparison.JdbiJournal;
import io.counterpoint.idempotency.consistency.comparison.KeyOrder;
import io.counterpoint.idempotency.consistency.comparison.RepairResult;
import io.counterpoint.idempotency.consistency.comparison.SqlTable;
import java.time.Duration;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Migrates apps from users to workspaces. While both tables are written, they are compared. The old table has users
 * instead of workspaces; a workspace's apps belong to the first of its users. Cache and search get an event for each
 * repaired app.
 */
final class Migration {

    private final Comparison<UUID> comparison;
    private final ComparisonReview<UUID> review;

    Migration(Jdbi jdbi, Duration minimumAge, Events events) {
        BiConsumer<Handle, Change<UUID>> announce = (handle, change) -> events.appRepaired(handle, change.key());
        comparison = Comparison.builder(
                        "apps by user and by workspace",
                        SqlTable.of(jdbi, "app_by_user", "id", KeyOrder.uuids())
                                .field(
                                        "workspace_id",
                                        "(SELECT m.workspace_id FROM workspace_of_user m"
                                                + " WHERE m.user_id = app_by_user.user_id)",
                                        "user_id",
                                        "(SELECT min(m.user_id) FROM workspace_of_user m WHERE m.workspace_id = ?)")
                                .fields("name")
                                .version("version", "version + 1")
                                .audit(announce),
                        SqlTable.of(jdbi, "app_by_workspace", "id", KeyOrder.uuids())
                                .fields("workspace_id", "name")
                                .version("version", "version + 1")
                                .audit(announce))
                .minimumAge(minimumAge)
                .pageSize(5_000)
                .journal(JdbiJournal.on(jdbi))
                .build();
        review = ComparisonReview.of(comparison);
    }

    Comparison<UUID> comparison() {
        return comparison;
    }

    ComparisonReview<UUID> review() {
        return review;
    }

    RepairResult<UUID> repair() {
        return review.repair().allowDeletes().build().apply();
    }
}
