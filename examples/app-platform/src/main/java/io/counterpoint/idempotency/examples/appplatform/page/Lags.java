package io.counterpoint.idempotency.examples.appplatform.page;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.examples.appplatform.http.Refusals;
import io.counterpoint.idempotency.examples.appplatform.page.Action.Done;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Requests at a rate that the visitor sets, and how far the parts that follow are behind meanwhile. A process that runs
 * executions is killed while executions wait for it.
 */
final class Lags implements AutoCloseable {

    private static final int MOST_PER_SECOND = 60;
    private static final int AT_ONCE = 6;
    private static final int EXECUTIONS = 40;

    /** Of so many requests one creates an app, which cache and search follow. The others are executions. */
    private static final int ONE_APP_OF = 3;

    private final Service service;
    private final Jdbi jdbi;
    private final Consumer<String> log;
    private final AtomicLong sent = new AtomicLong();
    private final ScheduledExecutorService senders = Executors.newScheduledThreadPool(AT_ONCE);
    private @Nullable ScheduledFuture<?> sending;

    Lags(Service service, Jdbi jdbi, Consumer<String> log) {
        this.service = service;
        this.jdbi = jdbi;
        this.log = log;
    }

    synchronized Done load(Input input) throws Refusal, IOException, InterruptedException {
        int perSecond = input.number("perSecond", 0, MOST_PER_SECOND);
        if (sending != null) {
            boolean unused = sending.cancel(false);
            sending = null;
        }
        if (perSecond > 0) {
            String app = service.createApp("load");
            long everyMicros = TimeUnit.SECONDS.toMicros(1) / perSecond;
            sending = senders.scheduleAtFixedRate(
                    () -> senders.execute(() -> send(app)), everyMicros, everyMicros, TimeUnit.MICROSECONDS);
        }
        return new Done(
                perSecond == 0
                        ? "The load has stopped. What is in the outbox goes out all the same."
                        : "Each change commits with its event in the outbox. Publishers hand events on at least once,"
                                + " and each part knows repeated events by their id.",
                Map.of("perSecond", perSecond, "lags", service.get("/lags")));
    }

    private void send(String app) {
        try {
            if (sent.incrementAndGet() % ONE_APP_OF == 0) {
                String unused = service.createApp("load");
            } else {
                trigger(app);
            }
        } catch (IOException fault) {
            log.accept("page, load: " + fault);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private void trigger(String app) throws IOException, InterruptedException {
        JsonNode unused = service.ask(
                "/executions",
                Map.of("app", app),
                "X-Request-Id",
                UUID.randomUUID().toString());
    }

    Done killWorker(Input input) throws Refusal, IOException, InterruptedException {
        List<Long> pids = service.platform().workers().pids();
        if (pids.isEmpty()) {
            throw Refusals.busy("No worker is ready: the next one is being started.");
        }
        String app = service.createApp("worked");
        for (int i = 0; i < EXECUTIONS; i++) {
            trigger(app);
        }
        long pid = pids.get(0);
        if (!service.platform().workers().kill(pid)) {
            throw Refusals.busy("The worker " + pid + " has ended by itself.");
        }
        return new Done(
                EXECUTIONS + " executions were triggered, and worker " + pid + " is dead. What it had goes to another"
                        + " worker when its claims end. The execution is the key of an operation, so each has one result.",
                Map.of("app", app, "killed", pid));
    }

    /** What the service has measured since it started. */
    Object view() throws IOException, InterruptedException {
        return Map.of("sent", sent.get(), "lags", service.get("/lags"));
    }

    /** The processes that run executions, and how many executions are in each state. */
    Object workers() {
        Map<String, Object> executions =
                jdbi.withHandle(handle -> handle.createQuery("""
                        SELECT count(*) FILTER (WHERE status = 'queued') AS queued,
                            count(*) FILTER (WHERE status = 'running') AS running,
                            count(*) FILTER (WHERE status = 'succeeded') AS succeeded,
                            count(*) FILTER (WHERE status = 'failed') AS failed,
                            (SELECT count(*) - count(DISTINCT execution_id) FROM execution_result) AS "results made twice"
                        FROM execution
                        """).mapToMap().one());
        return Map.of("pids", service.platform().workers().pids(), "executions", executions);
    }

    @Override
    public void close() {
        senders.shutdownNow();
    }
}
