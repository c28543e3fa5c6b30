package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import java.time.Duration;
import org.jdbi.v3.core.Handle;

/** How many executions each workspace has had. */
final class UsageStatistics {

    static final Bound BOUND = new Bound(
            "usage statistics",
            "an event for each execution",
            "the event's id is a key of the library",
            Duration.ofMinutes(1));

    private UsageStatistics() {}

    /** One publisher's thread counts, so nobody else inserts the row in between; if so, the event comes again. */
    static void apply(Handle handle, OutboxEvent event) {
        long workspace = Long.parseLong(event.payload());
        if (handle.execute("UPDATE usage_statistics SET executions = executions + 1 WHERE workspace_id = ?", workspace)
                == 0) {
            handle.execute("INSERT INTO usage_statistics (workspace_id, executions) VALUES (?, 1)", workspace);
        }
    }

    /** Counts a workspace's executions again. */
    static void rebuild(Handle handle, Object workspace) {
        handle.execute("DELETE FROM usage_statistics WHERE workspace_id = ?", workspace);
        handle.execute("""
                INSERT INTO usage_statistics (workspace_id, executions)
                SELECT workspace_id, count(*) FROM execution WHERE workspace_id = ? GROUP BY workspace_id
                """, workspace);
    }

    static long of(Handle handle, long workspace) {
        return handle.createQuery("SELECT executions FROM usage_statistics WHERE workspace_id = ?")
                .bind(0, workspace)
                .mapTo(Long.class)
                .findOne()
                .orElse(0L);
    }
}
