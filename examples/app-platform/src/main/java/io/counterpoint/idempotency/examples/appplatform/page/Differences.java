package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.examples.appplatform.page.Action.Done;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * The migration of apps from users to workspaces: the service's own switch, and differences of both tables, which are found
 * with both values, decided one by one, and repaired, as an operator does.
 */
final class Differences {

    private static final long USER = 1_001;
    private static final String PAGE = "consistency/comparison.md#promise";
    private static final String TEST = "PagePartsTest";

    /** What a write to one table only leaves behind. */
    private enum Difference {
        MISSING_IN_NEW,
        LEFT_OVER_IN_NEW,
        OTHER_NAME
    }

    private final Service service;
    private final Jdbi jdbi;

    Differences(Service service, Jdbi jdbi) {
        this.service = service;
        this.jdbi = jdbi;
    }

    /** All but one of them are the service's own. */
    List<Action> actions() {
        String path = "/migrations/apps/";
        return List.of(
                Action.of(
                        "switch-path",
                        "../examples/app-platform/README.md#the-switch",
                        "DualWriteTest",
                        service.operating(
                                path + "mode",
                                "The service waited for the writes that were under way, and every node goes by the new"
                                        + " mode since. A move of the switch is a status transition, with a row in the"
                                        + " history.")),
                Action.of("differ", PAGE, TEST, this::differ),
                Action.of(
                        "compare",
                        PAGE,
                        TEST,
                        service.operating(
                                path + "comparisons",
                                "The library read both tables in the order of their keys, and looked a second time at"
                                        + " what differed: what was only being written is no finding.")),
                Action.of(
                        "choose",
                        PAGE,
                        TEST,
                        service.operating(
                                path + "choices", "The choice is stored with the finding. Nothing is repaired yet.")),
                Action.of(
                        "repair-chosen",
                        PAGE,
                        TEST,
                        service.operating(
                                path + "repairs",
                                "Each row was made like the chosen side, if it was still as it was found. Then these"
                                        + " rows were compared again.")));
    }

    private Done differ(Input input) throws Refusal {
        Difference difference = input.choice("difference", Difference.values());
        UUID app = UUID.randomUUID();
        jdbi.useTransaction(handle -> {
            handle.execute(
                    "INSERT INTO workspace_of_user (user_id, workspace_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
                    USER,
                    Service.WORKSPACE);
            if (difference != Difference.LEFT_OVER_IN_NEW) {
                handle.execute(
                        "INSERT INTO app_by_user (id, user_id, name, version) VALUES (?, ?, 'as it is', 2)", app, USER);
            }
            if (difference != Difference.MISSING_IN_NEW) {
                handle.execute(
                        "INSERT INTO app_by_workspace (id, workspace_id, name, version) VALUES (?, ?, 'as it was', 1)",
                        app,
                        Service.WORKSPACE);
            }
        });
        return new Done(
                "One of two writes was lost, as happens where an application writes two tables in two transactions. The"
                        + " library did nothing yet.",
                Map.of("app", app));
    }

    /** Which tables are written, and how many rows each has. */
    Object view() {
        return jdbi.withHandle(handle -> handle.createQuery("""
                        SELECT status AS mode, (SELECT count(*) FROM app_by_user) AS old_rows,
                            (SELECT count(*) FROM app_by_workspace) AS new_rows
                        FROM app_path
                        """).mapToMap().one());
    }
}
