package io.counterpoint.idempotency.examples.appplatform.page;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.examples.appplatform.page.Action.Done;
import io.counterpoint.idempotency.examples.appplatform.page.LossyClient.Answer;
import io.counterpoint.idempotency.examples.appplatform.page.LossyClient.Sent;
import io.counterpoint.idempotency.programs.Json;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Requests at a rate that the visitor sets, and how far the parts that follow are behind meanwhile. */
final class Load implements AutoCloseable {

    private static final int MOST_PER_SECOND = 60;
    private static final int AT_ONCE = 6;
    /** Of so many requests one creates an app, which cache and search follow. The others are executions. */
    private static final int ONE_APP_OF = 3;

    private static final List<String> WORKSPACE = List.of("Workspace", "1");

    private final String service;
    private final EventStream stream;
    private final Consumer<String> log;
    private final LossyClient client = new LossyClient();
    private final AtomicLong sent = new AtomicLong();
    private final String run = UUID.randomUUID().toString().substring(0, 8);
    private final ScheduledExecutorService senders = Executors.newScheduledThreadPool(AT_ONCE, work -> {
        Thread thread = new Thread(work, "load");
        thread.setDaemon(true);
        return thread;
    });
    private @Nullable ScheduledFuture<?> sending;
    private volatile String app = "";

    Load(String service, EventStream stream, Consumer<String> log) {
        this.service = service;
        this.stream = stream;
        this.log = log;
    }

    List<Action> actions() {
        return List.of(new Action(
                "load",
                "docs/consistency/outbox.md#promise",
                "examples/app-platform/src/test/java/io/counterpoint/idempotency/examples/appplatform/PagePartsTest.java",
                this::set));
    }

    private synchronized Done set(Input input) throws Refused, IOException, InterruptedException {
        int perSecond = input.number("perSecond", 0, MOST_PER_SECOND);
        if (sending != null) {
            boolean unused = sending.cancel(false);
            sending = null;
        }
        if (app.isEmpty()) {
            app = createApp().body().path("app").asText();
        }
        if (perSecond > 0) {
            long everyMicros = TimeUnit.SECONDS.toMicros(1) / perSecond;
            sending = senders.scheduleAtFixedRate(
                    () -> senders.execute(this::send), everyMicros, everyMicros, TimeUnit.MICROSECONDS);
        }
        return new Done(
                perSecond == 0
                        ? "The load has stopped. What is in the outbox goes out all the same."
                        : "Each change commits with its event in the outbox. Publishers hand events on at least once,"
                                + " and each part knows repeated events by their id.",
                Map.of("perSecond", perSecond, "lags", lags()));
    }

    private void send() {
        try {
            long number = sent.incrementAndGet();
            Answer answer = number % ONE_APP_OF == 0
                    ? createApp()
                    : ask("/executions", "X-Request-Id", "load-" + run + "-" + number, Map.of("app", app));
            if (answer.status() >= 300) {
                log.accept("page, load: answered " + answer.status());
            }
        } catch (IOException fault) {
            log.accept("page, load: " + fault);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private Answer createApp() throws IOException, InterruptedException {
        String key = UUID.randomUUID().toString();
        return ask("/apps", "Idempotency-Key", "\"" + key + "\"", Map.of("name", "load " + run + " " + key));
    }

    private Answer ask(String path, String header, String value, Map<String, ?> body)
            throws IOException, InterruptedException {
        return client.send(new Sent(
                URI.create(service + path),
                List.of(WORKSPACE.get(0), WORKSPACE.get(1), header, value),
                Json.of(body).toString()));
    }

    private JsonNode lags() throws IOException, InterruptedException {
        return client.send(new Sent(URI.create(service + "/lags"), WORKSPACE, ""), "GET")
                .body();
    }

    /** Shows what the service has measured since it started. */
    void look() {
        try {
            stream.show("lags", Map.of("sent", sent.get(), "lags", lags()));
        } catch (IOException fault) {
            log.accept("page, lags: " + fault);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        senders.shutdownNow();
    }
}
