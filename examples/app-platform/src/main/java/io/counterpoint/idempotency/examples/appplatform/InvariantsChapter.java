package io.counterpoint.idempotency.examples.appplatform;

import java.io.IOException;

/** Verifies what must hold at the end, whatever happened before. */
record InvariantsChapter(TourContext context) implements Chapter {

    @Override
    public void run() throws IOException, InterruptedException {
        context.chapter("What must be true in the end", "waiting for the last events, and counting");
        context.waitFor("the last events", context.platform()::isQuiet);
        apps();
        executions();
        payments();
        context.findings().tell("13 counts over all tables and the payment provider; they are in the details.");
    }

    private void apps() {
        context.none(
                "apps in an intermediate state",
                "app WHERE status = 'publishing' OR database_status IN ('creating', 'migrating')");
        context.none(
                "apps that say they have a database and have none, or half of one",
                "app WHERE database_status = 'ready' AND " + SchemaServer.MISSING);
        context.none("published apps without exactly one policy, and drafts with one", """
                app a WHERE (SELECT count(*) FROM app_policy p WHERE p.app_id = a.id)
                    <> CASE WHEN a.status = 'published' THEN 1 ELSE 0 END
                """);
        context.none(
                "apps of this run that are published without an artifact, or are drafts with one",
                "app WHERE name LIKE ? AND (status = 'published') <> (artifact IS NOT NULL)",
                "% " + context.runId() + " %");
        context.none("apps that are not where the last row of their history says", """
                app a WHERE EXISTS (SELECT 1 FROM transition_history h WHERE h.entity_id = CAST(a.id AS varchar(36))
                    AND h.to_state <> CASE h.machine WHEN 'app-publication' THEN a.status ELSE a.database_status END
                    AND NOT EXISTS (SELECT 1 FROM transition_history l
                        WHERE l.machine = h.machine AND l.entity_id = h.entity_id AND l.seq > h.seq))
                """);
        context.none("apps that were published more than once", """
                (SELECT entity_id FROM transition_history WHERE to_state = 'published'
                    GROUP BY entity_id HAVING count(*) > 1) twice
                """);
        context.none(
                "apps that search does not find, or finds under another name, or still",
                "app WHERE " + SearchIndex.WRONG);
    }

    private void executions() {
        context.none("events that are not delivered, or parked", "outbox_event WHERE published_at IS NULL");
        context.none("executions of this run that have not succeeded, or have not exactly one result", """
                execution e WHERE triggered_at > CURRENT_TIMESTAMP - INTERVAL '1' HOUR
                    AND (status <> 'succeeded'
                        OR (SELECT count(*) FROM execution_result r WHERE r.execution_id = e.id) <> 1)
                """);
        context.none("workspaces whose statistics are not the number of their executions", """
                workspace w WHERE (SELECT COALESCE(sum(u.executions), 0) FROM usage_window u WHERE u.workspace_id = w.id)
                    <> (SELECT count(*) FROM execution e WHERE e.workspace_id = w.id)
                """);
    }

    private void payments() throws IOException {
        context.none("transactions that were charged twice", """
                (SELECT 1 AS one FROM charge GROUP BY workspace_id, transaction_id HAVING count(*) > 1) twice
                """);
        context.none("workspaces below zero, or whose quota is not what their charges leave", """
                workspace w WHERE quota_left < 0 OR quota_left <> quota_granted
                    - (SELECT COALESCE(sum(amount), 0) FROM charge c WHERE c.workspace_id = w.id
                        AND c.quota_month = w.quota_month AND c.status <> 'refused')
                """);
        context.none("charges whose payment did not come to an end", "charge WHERE status = 'reserved'");
        context.fact(
                "payments that the provider has charged: those of this run",
                context.count("charge WHERE transaction_id LIKE ?", context.runId() + "-%"),
                context.platform().outside.payments().count());
    }
}
