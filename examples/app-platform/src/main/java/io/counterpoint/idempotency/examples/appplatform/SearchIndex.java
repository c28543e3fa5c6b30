package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Apps by their names. */
final class SearchIndex {

    static final Bound BOUND = new Bound(
            "search index",
            "an event for each version, which reads the app as it is then",
            "the event's id is a key of the library",
            Duration.ofSeconds(5));

    private SearchIndex() {}

    static void apply(Handle handle, OutboxEvent event) {
        put(handle, UUID.fromString(event.orderKey().orElseThrow()));
    }

    /** Writes an app's entry as the app is now. */
    static void put(Handle handle, Object app) {
        handle.execute("DELETE FROM search_entry WHERE app_id = ?", app);
        handle.execute("""
                INSERT INTO search_entry (app_id, workspace_id, name)
                SELECT id, workspace_id, name FROM app WHERE id = ? AND deleted_at IS NULL
                """, app);
    }

    /** By a part of the name, in a workspace. */
    static List<UUID> find(Handle handle, long workspace, String part, int limit) {
        return handle.createQuery("SELECT app_id FROM search_entry WHERE workspace_id = :workspace"
                        + " AND POSITION(:part IN name) > 0 ORDER BY name, app_id FETCH FIRST " + limit + " ROWS ONLY")
                .bind("workspace", workspace)
                .bind("part", part)
                .mapTo(UUID.class)
                .list();
    }
}
