package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.examples.appplatform.page.Action.Done;
import io.counterpoint.idempotency.examples.appplatform.page.LossyClient.Answer;
import io.counterpoint.idempotency.examples.appplatform.page.LossyClient.Sent;
import io.counterpoint.idempotency.programs.Json;
import java.io.IOException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** The processes that run executions: one is killed while executions wait for it. */
final class Workers {

    private static final int EXECUTIONS = 40;

    private final ShownPlatform platform;
    private final Jdbi jdbi;
    private final LossyClient client = new LossyClient();

    Workers(ShownPlatform platform, Jdbi jdbi) {
        this.platform = platform;
        this.jdbi = jdbi;
    }

    List<Action> actions() {
        return List.of(new Action(
                "kill-worker",
                "docs/consistency/outbox.md#promise",
                "examples/app-platform/src/test/java/io/counterpoint/idempotency/examples/appplatform/execution/KilledWorkersTest.java",
                this::kill));
    }

    private Done kill(Input input) throws Refused, IOException, InterruptedException {
        List<Long> pids = platform.workers();
        if (pids.isEmpty()) {
            throw Refused.notNow("No worker is ready: the next one is being started.");
        }
        String key = UUID.randomUUID().toString();
        String app = ask("/apps", "Idempotency-Key", "\"" + key + "\"", Map.of("name", "worked " + key))
                .body()
                .path("app")
                .asText();
        for (int i = 0; i < EXECUTIONS; i++) {
            ask("/executions", "X-Request-Id", key + "-" + i, Map.of("app", app));
        }
        long pid = pids.get(0);
        if (!platform.killWorker(pid)) {
            throw Refused.notNow("The worker " + pid + " has ended by itself.");
        }
        return new Done(
                EXECUTIONS + " executions were triggered, and worker " + pid + " is dead. What it had goes to another"
                        + " worker when its claims end. The execution is the key of an operation, so each has one result.",
                Map.of("app", app, "killed", pid));
    }

    private Answer ask(String path, String header, String value, Map<String, ?> body)
            throws IOException, InterruptedException {
        Answer answer = client.send(new Sent(
                URI.create(platform.service() + path),
                List.of("Workspace", "1", header, value),
                Json.of(body).toString()));
        if (answer.status() >= 300) {
            throw new IOException("The service answered " + answer.status() + ".");
        }
        return answer;
    }

    /** The processes, and how many executions are in each state. */
    Object view() {
        Map<String, Long> executions = new LinkedHashMap<>();
        jdbi.useHandle(handle -> {
            for (String status : List.of("queued", "running", "succeeded", "failed")) {
                executions.put(
                        status,
                        handle.createQuery("SELECT count(*) FROM execution WHERE status = ?")
                                .bind(0, status)
                                .mapTo(Long.class)
                                .one());
            }
            executions.put(
                    "results made twice",
                    handle.createQuery("SELECT count(*) - count(DISTINCT execution_id) FROM execution_result")
                            .mapTo(Long.class)
                            .one());
        });
        return Map.of("pids", platform.workers(), "executions", executions);
    }
}
