package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.consistency.comparison.Finding;
import io.counterpoint.idempotency.consistency.comparison.RepairResult;
import io.counterpoint.idempotency.consistency.comparison.Report;
import io.counterpoint.idempotency.examples.appplatform.page.Action.Done;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** The migration of apps from users to workspaces: differences of both tables, found with both values and repaired. */
final class Differences {

    private static final int SHOWN = 12;
    private static final long USER = 1_001;
    private static final long WORKSPACE = 1;
    private static final String PAGE = "docs/consistency/comparison.md#promise";
    private static final String TEST =
            "examples/app-platform/src/test/java/io/counterpoint/idempotency/examples/appplatform/PagePartsTest.java";

    /** What a write to one table only leaves behind. */
    private enum Difference {
        MISSING_IN_NEW,
        LEFT_OVER_IN_NEW,
        OTHER_NAME
    }

    private final ShownPlatform platform;
    private final Jdbi jdbi;

    Differences(ShownPlatform platform, Jdbi jdbi) {
        this.platform = platform;
        this.jdbi = jdbi;
    }

    List<Action> actions() {
        return List.of(
                new Action("differ", PAGE, TEST, this::differ),
                new Action("compare", PAGE, TEST, input -> compare()),
                new Action("make-alike", PAGE, TEST, input -> makeAlike()));
    }

    private Done differ(Input input) throws Refused {
        Difference difference = input.choice("difference", Difference.values());
        UUID app = UUID.randomUUID();
        jdbi.useTransaction(handle -> {
            handle.execute(
                    "INSERT INTO workspace_of_user (user_id, workspace_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
                    USER,
                    WORKSPACE);
            if (difference != Difference.LEFT_OVER_IN_NEW) {
                handle.execute(
                        "INSERT INTO app_by_user (id, user_id, name, version) VALUES (?, ?, 'as it is', 2)", app, USER);
            }
            if (difference != Difference.MISSING_IN_NEW) {
                handle.execute(
                        "INSERT INTO app_by_workspace (id, workspace_id, name, version) VALUES (?, ?, 'as it was', 1)",
                        app,
                        WORKSPACE);
            }
        });
        return new Done(
                "One of two writes was lost, as happens where an application writes two tables in two transactions. The"
                        + " library did nothing yet.",
                Map.of("app", app));
    }

    private Done compare() {
        Report<UUID> report = platform.comparison().startOver();
        List<Map<String, Object>> rows = jdbi.withHandle(handle -> report.findings(0, SHOWN).stream()
                .map(finding -> row(handle, finding))
                .toList());
        return new Done(
                "The library read both tables in the order of their keys, and looked a second time at what differed: what"
                        + " was only being written is no finding.",
                Map.of("findings", report.totals().findings(), "rows", rows));
    }

    private Done makeAlike() {
        RepairResult<UUID> result = platform.repairOfNewTable().apply();
        return new Done(
                "The old table is right. Each row was changed only if it was still as it was found, and then looked at"
                        + " again.",
                Map.of("changes", result.counts().changes(), "clean", result.isClean()));
    }

    private static Map<String, Object> row(Handle handle, Finding<UUID> finding) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("app", finding.key());
        row.put(
                "kind",
                finding.<String>fold(
                        old -> "missing in the old table",
                        replacement -> "missing in the new table",
                        different -> "different: " + String.join(", ", different.fields())));
        row.put("old", value(handle, """
                SELECT a.name || ', workspace ' || COALESCE(m.workspace_id::text, '?')
                FROM app_by_user a LEFT JOIN workspace_of_user m ON m.user_id = a.user_id WHERE a.id = ?
                """, finding.key()).orElse("–"));
        row.put(
                "new",
                value(
                                handle,
                                "SELECT name || ', workspace ' || workspace_id FROM app_by_workspace WHERE id = ?",
                                finding.key())
                        .orElse("–"));
        return row;
    }

    private static Optional<String> value(Handle handle, String sql, UUID app) {
        return handle.createQuery(sql).bind(0, app).mapTo(String.class).findOne();
    }
}
