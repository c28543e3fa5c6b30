package io.counterpoint.idempotency.examples.appplatform;

import java.io.IOException;

/** What has to be true in the end, whatever happened before. */
final class InvariantsChapter implements Chapter {

    private final TourContext context;

    InvariantsChapter(TourContext context) {
        this.context = context;
    }

    @Override
    public void run() throws IOException, InterruptedException {
        context.findings().chapter("What has to be true in the end");
        context.progress().accept("waiting for the last events, and counting");
        context.waitFor("the last events", context.platform()::isQuiet);
        context.findings()
                .fact(
                        "apps in an intermediate state",
                        0L,
                        context.count(
                                "app WHERE status = 'publishing' OR database_status IN ('creating', 'migrating')"));
        context.findings()
                .fact(
                        "apps that say they have a database and have none, or half of one",
                        0L,
                        context.count("app WHERE database_status = 'ready' AND "
                                + context.platform().database().missingOnServer()));
        context.findings()
                .fact(
                        "published apps without exactly one policy, and drafts with one",
                        0L,
                        context.count("app a WHERE (SELECT count(*) FROM app_policy p WHERE p.app_id = a.id)"
                                + " <> CASE WHEN a.status = 'published' THEN 1 ELSE 0 END"));
        context.findings()
                .fact(
                        "apps of this run that are published without an artifact, or are drafts with one",
                        0L,
                        context.count(
                                "app WHERE name LIKE ? AND (status = 'published') <> (artifact IS NOT NULL)",
                                "% " + context.runId() + " %"));
        context.findings()
                .fact(
                        "apps that are not where the last row of their history says",
                        0L,
                        context.count(
                                "app a WHERE EXISTS (SELECT 1 FROM transition_history h WHERE h.entity_id = CAST(a.id AS varchar(36))"
                                        + " AND h.to_state <> CASE h.machine WHEN 'app-publication' THEN a.status"
                                        + " ELSE a.database_status END AND NOT EXISTS (SELECT 1 FROM transition_history l"
                                        + " WHERE l.machine = h.machine AND l.entity_id = h.entity_id AND l.seq > h.seq))"));
        context.findings()
                .fact(
                        "apps that were published more than once",
                        0L,
                        context.count("(SELECT entity_id FROM transition_history WHERE to_state = 'published'"
                                + " GROUP BY entity_id HAVING count(*) > 1) twice"));
        context.findings()
                .fact(
                        "events that are not delivered, or parked",
                        0L,
                        context.count("outbox_event WHERE published_at IS NULL"));
        context.findings()
                .fact(
                        "executions of this run that have not succeeded, or have not exactly one result",
                        0L,
                        context.count("execution e WHERE triggered_at > CURRENT_TIMESTAMP - INTERVAL '1' HOUR AND"
                                + " (status <> 'succeeded' OR (SELECT count(*) FROM execution_result r"
                                + " WHERE r.execution_id = e.id) <> 1)"));
        context.findings()
                .fact(
                        "workspaces whose statistics are not the number of their executions",
                        0L,
                        context.count("workspace w WHERE (SELECT COALESCE(sum(u.executions), 0) FROM usage_window u"
                                + " WHERE u.workspace_id = w.id) <> (SELECT count(*) FROM execution e"
                                + " WHERE e.workspace_id = w.id)"));
        context.findings().fact("apps that search does not find, or finds under another name, or still", 0L, (long)
                context.platform().search().compare());
        context.findings()
                .fact(
                        "transactions that were charged twice",
                        0L,
                        context.count(
                                "(SELECT 1 AS one FROM charge GROUP BY workspace_id, transaction_id HAVING count(*) > 1) twice"));
        context.findings()
                .fact(
                        "workspaces below zero, or whose quota is not what their charges leave",
                        0L,
                        context.count("workspace w WHERE quota_left < 0 OR quota_left <> quota_granted - (SELECT"
                                + " COALESCE(sum(amount), 0) FROM charge c WHERE c.workspace_id = w.id"
                                + " AND c.quota_month = w.quota_month AND c.status <> 'refused')"));
        context.findings()
                .fact(
                        "charges whose payment did not come to an end",
                        0L,
                        context.count("charge WHERE status = 'reserved'"));
        context.findings()
                .fact(
                        "payments that the provider has charged: those of this run",
                        context.count("charge WHERE transaction_id LIKE ?", context.runId() + "-%"),
                        context.platform().outside().payments().count());
        context.findings().tell("13 counts over all tables and the payment provider; they are in the details.");
    }
}
