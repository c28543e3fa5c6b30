package io.counterpoint.idempotency.examples.appplatform.page;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.consistency.comparison.ComparisonReview.Decision;
import io.counterpoint.idempotency.examples.appplatform.page.Action.Done;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/**
 * The migration of apps from users to workspaces: the service's own switch, and differences of both tables, which are found
 * with both values, decided one by one, and repaired, as an operator does.
 */
final class Differences {

    private static final int LONGEST = 36;
    private static final long USER = 1_001;
    private static final long WORKSPACE = 1;
    private static final String PAGE = "docs/consistency/comparison.md#promise";
    private static final String TESTS =
            "examples/app-platform/src/test/java/io/counterpoint/idempotency/examples/appplatform/";
    private static final String TEST = TESTS + "PagePartsTest.java";

    /** What a write to one table only leaves behind. */
    private enum Difference {
        MISSING_IN_NEW,
        LEFT_OVER_IN_NEW,
        OTHER_NAME
    }

    /** Which tables the service writes. */
    private enum Mode {
        OLD,
        BOTH,
        NEW
    }

    private final ShownPlatform platform;
    private final Jdbi jdbi;
    private final LossyClient client = new LossyClient();

    Differences(ShownPlatform platform, Jdbi jdbi) {
        this.platform = platform;
        this.jdbi = jdbi;
    }

    List<Action> actions() {
        return List.of(
                new Action(
                        "switch-path",
                        "examples/app-platform/README.md#the-switch",
                        TESTS + "DualWriteTest.java",
                        this::switchPath),
                new Action("differ", PAGE, TEST, this::differ),
                new Action("compare", PAGE, TEST, this::compare),
                new Action("choose", PAGE, TEST, this::choose),
                new Action("repair-chosen", PAGE, TEST, this::repair));
    }

    private Done switchPath(Input input) throws Refused, IOException, InterruptedException {
        return operator(
                "/mode",
                Map.of("mode", word(input.choice("mode", Mode.values()))),
                "The service waited for the writes that were under way, and every node goes by the new mode since. A move"
                        + " of the switch is a status transition, with a row in the history.");
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

    private Done compare(Input input) throws IOException, InterruptedException, Refused {
        return operator(
                "/comparisons",
                Map.of(),
                "The library read both tables in the order of their keys, and looked a second time at what differed: what"
                        + " was only being written is no finding.");
    }

    private Done choose(Input input) throws Refused, IOException, InterruptedException {
        Map<String, Object> body = new HashMap<>(Map.of("right", word(input.choice("right", Decision.values()))));
        if (input.flag("one")) {
            body.put("app", input.text("app", LONGEST));
        }
        return operator("/choices", body, "The choice is stored with the finding. Nothing is repaired yet.");
    }

    private Done repair(Input input) throws Refused, IOException, InterruptedException {
        return operator(
                "/repairs",
                Map.of(),
                "Each row was made like the chosen side, if it was still as it was found. Then these rows were compared"
                        + " again.");
    }

    private static String word(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT);
    }

    /** What the service answers an operator: the mode, what is open with both values, and what came of the request. */
    private Done operator(String path, Map<String, ?> body, String said)
            throws IOException, InterruptedException, Refused {
        JsonNode found = client.operate(platform, "POST", "/migrations/apps" + path, body);
        Map<String, JsonNode> view = new HashMap<>();
        found.properties().forEach(field -> view.put(field.getKey(), field.getValue()));
        return new Done(said, view);
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
