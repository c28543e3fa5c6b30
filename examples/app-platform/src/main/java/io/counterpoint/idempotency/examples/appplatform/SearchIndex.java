package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * The search index: a table that follows the app table through events. Each event writes the current state of the app
 * unless the index already has a later version, so duplicate and late events change nothing.
 */
final class SearchIndex {

    static final Bound BOUND = new Bound(
            "search index",
            "an event for each version, which writes the current state of the app",
            "nothing: the index has that version, or a later one",
            Duration.ofSeconds(5));

    /**
     * A condition on the app table: the index differs. Pending events are excluded, because they are late, not wrong.
     */
    static final String WRONG = """
            NOT EXISTS (SELECT 1 FROM outbox_event e WHERE e.topic = '%s' AND e.order_key = CAST(app.id AS text)
                AND e.published_at IS NULL)
            AND (SELECT count(*) FROM search_entry s WHERE s.app_id = app.id AND NOT s.gone
                    AND (app.deleted_at IS NOT NULL OR (s.workspace_id = app.workspace_id AND s.name = app.name)))
                <> CASE WHEN app.deleted_at IS NULL THEN 1 ELSE 0 END
            """.formatted(Events.SEARCH);

    private static final String WRITE = """
            INSERT INTO search_entry (app_id, workspace_id, name, version, gone)
            SELECT id, workspace_id, name, version, deleted_at IS NOT NULL FROM app %s
            ON CONFLICT (app_id) DO UPDATE
            SET workspace_id = excluded.workspace_id, name = excluded.name, version = excluded.version, gone = excluded.gone
            WHERE %s
            """;

    private SearchIndex() {}

    /** Handles the event of an app. */
    static void accept(Handle handle, OutboxEvent event) {
        handle.execute(
                WRITE.formatted("WHERE id = ?", "search_entry.version < excluded.version"),
                UUID.fromString(event.orderKey().orElseThrow()));
    }

    /** Rebuilds the index from the tables, including entries that were changed by hand. Returns the number of apps. */
    static int rebuild(Handle handle) {
        handle.execute("DELETE FROM search_entry WHERE app_id NOT IN (SELECT id FROM app)");
        return handle.execute(WRITE.formatted("", "search_entry.version <= excluded.version"));
    }

    /** The first hundred apps of a workspace whose names contain all of the words; without words, any of its apps. */
    static List<UUID> find(Handle handle, long workspace, String words) {
        return handle.createQuery("""
                        SELECT app_id FROM search_entry WHERE workspace_id = :workspace AND NOT gone
                            AND (:words = '' OR to_tsvector('simple', name) @@ plainto_tsquery('simple', :words))
                        ORDER BY lower(name), app_id LIMIT 100
                        """)
                .bind("workspace", workspace)
                .bind("words", words)
                .mapTo(UUID.class)
                .list();
    }
}
