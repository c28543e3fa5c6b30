package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.examples.appplatform.page.Action.Done;
import io.counterpoint.idempotency.examples.appplatform.page.LossyClient.Sent;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.Json;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Apps that move through publishing and provisioning; each move is asked for by several callers at once. */
final class Machines implements AutoCloseable {

    private static final int MOST_APPS = 30;
    private static final int RIVALS = 3;
    private static final int MOST_TRIES = 100;
    private static final int AT_ONCE = 12;
    private static final int MOVES = 10;
    private static final long WORKSPACE = 1;

    /** What moves. */
    private enum Machine {
        PUBLISHING("/publications", "status"),
        PROVISIONING("/databases", "database_status");

        private final String path;
        private final String column;

        Machine(String path, String column) {
            this.path = path;
            this.column = column;
        }
    }

    private final ShownPlatform platform;
    private final Jdbi jdbi;
    private final LossyClient client = new LossyClient();
    private final ExecutorService callers = Executors.newFixedThreadPool(AT_ONCE, work -> {
        Thread thread = new Thread(work, "rival");
        thread.setDaemon(true);
        return thread;
    });

    Machines(ShownPlatform platform, Jdbi jdbi) {
        this.platform = platform;
        this.jdbi = jdbi;
    }

    List<Action> actions() {
        return List.of(new Action(
                "move",
                "docs/consistency/transitions.md#promise",
                "examples/app-platform/src/test/java/io/counterpoint/idempotency/examples/appplatform/PagePartsTest.java",
                this::move));
    }

    private Done move(Input input) throws Refused, IOException, InterruptedException {
        Machine machine = input.choice("machine", Machine.values());
        int number = input.number("apps", 1, MOST_APPS);
        List<Callable<String>> creations = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            creations.add(this::create);
        }
        List<String> apps = all(creations);
        List<Callable<Boolean>> rivals = new ArrayList<>();
        for (String app : apps) {
            for (int i = 0; i < RIVALS; i++) {
                rivals.add(() -> moves(machine, app));
            }
        }
        long moved = all(rivals).stream().filter(byThisRequest -> byThisRequest).count();
        return new Done(
                "Of " + RIVALS
                        + " callers for each app, one won the status transition and became its owner; the others"
                        + " learned that it was done. Every move is in the history.",
                Map.of("apps", apps, "asked", number * RIVALS, "moved", moved));
    }

    private <T> List<T> all(List<Callable<T>> work) throws IOException, InterruptedException {
        List<T> results = new ArrayList<>();
        for (Future<T> one : callers.invokeAll(work)) {
            try {
                results.add(one.get());
            } catch (ExecutionException e) {
                throw new IOException("A caller gave up: " + CannotRun.rootMessage(e), e);
            }
        }
        return results;
    }

    private String create() throws IOException, InterruptedException {
        String key = UUID.randomUUID().toString();
        return ask("/apps", List.of("Idempotency-Key", "\"" + key + "\""), Map.of("name", "moving " + key))
                .body()
                .path("app")
                .asText();
    }

    /** Whether this very request moved the app. */
    private boolean moves(Machine machine, String app) throws IOException, InterruptedException {
        return ask(machine.path, List.of(), Map.of("app", app))
                .body()
                .path("by")
                .asText()
                .equals("this request");
    }

    /** Asks again while another request is at it. */
    private LossyClient.Answer ask(String path, List<String> headers, Map<String, ?> body)
            throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(headers);
        all.addAll(List.of("Workspace", Long.toString(WORKSPACE)));
        Sent sent = new Sent(
                URI.create(platform.service() + path), all, Json.of(body).toString());
        for (int tries = 1; ; tries++) {
            LossyClient.Answer answer = client.send(sent);
            boolean wait = answer.status() == 409 || answer.status() == 503;
            if (!wait && answer.status() >= 300) {
                throw new IOException("The service answered " + answer.status() + ": "
                        + answer.body().path("detail").asText());
            }
            if (!wait || tries == MOST_TRIES) {
                return answer;
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /** How many apps are in each state, and the last moves. */
    Object view() {
        return jdbi.withHandle(handle -> {
            Map<String, Object> view = new LinkedHashMap<>();
            for (Machine machine : Machine.values()) {
                String name = machine.name().toLowerCase(Locale.ROOT);
                view.put(
                        name,
                        Map.of(
                                "graph",
                                platform.graphs().getOrDefault(name, ""),
                                "states",
                                states(handle, machine.column)));
            }
            view.put("moves", moves(handle));
            return view;
        });
    }

    private static Map<String, Long> states(Handle handle, String column) {
        Map<String, Long> states = new LinkedHashMap<>();
        handle.createQuery(
                        "SELECT " + column + " AS state, count(*) AS apps FROM app WHERE deleted_at IS NULL GROUP BY "
                                + column + " ORDER BY 1")
                .map((row, context) -> Map.entry(row.getString(1), row.getLong(2)))
                .forEach(state -> states.put(state.getKey(), state.getValue()));
        return states;
    }

    private static List<Map<String, Object>> moves(Handle handle) {
        return handle.createQuery("""
                        SELECT seq, machine, left(entity_id, 8) AS app, from_state, to_state
                        FROM transition_history ORDER BY seq DESC LIMIT ?
                        """).bind(0, MOVES).mapToMap().list();
    }

    @Override
    public void close() {
        callers.shutdownNow();
    }
}
