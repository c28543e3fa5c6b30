package io.counterpoint.idempotency.examples.appplatform.page;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.examples.appplatform.page.Action.Done;
import io.counterpoint.idempotency.examples.appplatform.page.LossyClient.Answer;
import io.counterpoint.idempotency.examples.appplatform.page.LossyClient.Sent;
import io.counterpoint.idempotency.programs.Json;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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

    private static final int SHOWN = 12;
    private static final int LONGEST = 36;
    private static final long USER = 1_001;
    private static final long WORKSPACE = 1;
    private static final String ROUTE = "/migrations/apps";
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

    /** Which table is right. */
    private enum Right {
        OLD,
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
                new Action("compare", PAGE, TEST, input -> compare()),
                new Action("choose", PAGE, TEST, this::choose),
                new Action("repair-chosen", PAGE, TEST, input -> repair()));
    }

    private Done switchPath(Input input) throws Refused, IOException, InterruptedException {
        Mode mode = input.choice("mode", Mode.values());
        JsonNode answer = post("/mode", Map.of("mode", mode.name().toLowerCase(Locale.ROOT)));
        return new Done(
                "The service waited for the writes that were under way, and every node goes by the new mode since. A move"
                        + " of the switch is a status transition, with a row in the history.",
                Map.of("mode", answer.path("mode")));
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

    private Done compare() throws IOException, InterruptedException, Refused {
        JsonNode unused = post("/comparisons", Map.of());
        return new Done(
                "The library read both tables in the order of their keys, and looked a second time at what differed: what"
                        + " was only being written is no finding.",
                found());
    }

    private Done choose(Input input) throws Refused, IOException, InterruptedException {
        Right right = input.choice("right", Right.values());
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("right", right.name().toLowerCase(Locale.ROOT));
        if (input.flag("one")) {
            body.put("app", input.text("app", LONGEST));
        }
        JsonNode answer = post("/choices", body);
        Map<String, Object> view = found();
        view.put("chosen", answer.path("chosen"));
        return new Done("The choice is stored with the finding. Nothing is repaired yet.", view);
    }

    private Done repair() throws Refused, IOException, InterruptedException {
        JsonNode answer = post("/repairs", Map.of());
        Map<String, Object> view = found();
        view.put("changes", answer.path("changes"));
        view.put("clean", answer.path("left").asInt() == 0);
        return new Done(
                "Each row was made like the chosen side, if it was still as it was found. Then both tables were compared"
                        + " again.",
                view);
    }

    /** What the latest comparison found, with both values. */
    private Map<String, Object> found() throws IOException, InterruptedException, Refused {
        JsonNode answer = ask(ROUTE, "GET", Map.of());
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("findings", answer.path("findings"));
        List<JsonNode> rows = new ArrayList<>();
        answer.path("differences").forEach(row -> {
            if (rows.size() < SHOWN) {
                rows.add(row);
            }
        });
        view.put("rows", rows);
        return view;
    }

    private JsonNode post(String path, Map<String, ?> body) throws IOException, InterruptedException, Refused {
        return ask(ROUTE + path, "POST", body);
    }

    private JsonNode ask(String path, String method, Map<String, ?> body)
            throws IOException, InterruptedException, Refused {
        Answer answer = client.send(
                new Sent(
                        URI.create(platform.service() + path),
                        List.of("Authorization", "Bearer " + platform.operatorToken()),
                        Json.of(body).toString()),
                method);
        if (answer.status() == 404 || answer.status() == 422) {
            throw Refused.notNow(answer.body().path("detail").asText());
        }
        if (answer.status() != 200) {
            throw new IOException("The service answered " + answer.status() + ": "
                    + answer.body().path("detail").asText());
        }
        return answer.body();
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
