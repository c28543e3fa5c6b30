package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.examples.appplatform.http.Callers;
import io.counterpoint.idempotency.examples.appplatform.page.Action.Done;
import io.counterpoint.idempotency.examples.appplatform.usecase.AppStatus;
import io.counterpoint.idempotency.examples.appplatform.usecase.DatabaseStatus;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Apps that move through publishing and provisioning; each move is asked for by several callers at once. */
record Machines(Service service, Jdbi jdbi, Callers callers) {

    private static final int MOST_APPS = 30;
    private static final int RIVALS = 3;

    Done move(Input input) throws Refusal, IOException, InterruptedException {
        String path =
                input.choice("machine", List.of("publishing", "provisioning")).equals("publishing")
                        ? "/publications"
                        : "/databases";
        int number = input.number("apps", 1, MOST_APPS);
        Callable<String> creation = () -> service.createApp("moving");
        List<String> apps = callers.ask(Collections.nCopies(number, creation));
        Stream<Callable<Boolean>> rivals = apps.stream()
                .flatMap(app -> Collections.<Callable<Boolean>>nCopies(RIVALS, () -> moves(path, app)).stream());
        long moved = callers.ask(rivals.toList()).stream()
                .filter(byThisRequest -> byThisRequest)
                .count();
        return new Done(
                "Of " + RIVALS
                        + " callers for each app, one won the status transition and became its owner; the others"
                        + " learned that it was done. Every move is in the history.",
                Map.of("apps", apps, "asked", number * RIVALS, "moved", moved));
    }

    /** Whether this very request moved the app. */
    private boolean moves(String path, String app) throws IOException, InterruptedException {
        return service.ask(path, Map.of("app", app)).path("by").asText().equals("this request");
    }

    /** How many apps are in each state, and the last moves. */
    Object view() {
        return jdbi.withHandle(handle -> Map.of(
                "publishing", machine(handle, AppStatus.graph().toMermaid(), "status"),
                "provisioning", machine(handle, DatabaseStatus.graph().toMermaid(), "database_status"),
                "moves", handle.createQuery("""
                        SELECT seq, machine, left(entity_id, 8) AS app, from_state, to_state
                        FROM transition_history ORDER BY seq DESC LIMIT 10
                        """).mapToMap().list()));
    }

    private static Object machine(Handle handle, String graph, String column) {
        Map<String, Long> states = handle.createQuery(
                        "SELECT " + column + ", count(*) FROM app WHERE deleted_at IS NULL GROUP BY " + column)
                .map((row, context) -> Map.entry(row.getString(1), row.getLong(2)))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        return Map.of("graph", graph, "states", states);
    }
}
