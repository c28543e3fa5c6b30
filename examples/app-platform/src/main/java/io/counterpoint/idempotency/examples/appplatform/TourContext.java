package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.http.Client;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Answer;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Request;
import io.counterpoint.idempotency.examples.appplatform.usecase.ChargePayment;
import io.counterpoint.idempotency.examples.appplatform.usecase.CreateApp;
import io.counterpoint.idempotency.examples.appplatform.usecase.Policy;
import io.counterpoint.idempotency.examples.appplatform.usecase.TriggerExecution;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * What the chapters of a tour share: the service, requests to it, a look into its database, and where findings go.
 *
 * @param url where the service listens
 * @param runId distinguishes this run's names and keys from those of another on the same database
 */
record TourContext(
        Platform platform, String url, Client client, Findings findings, Consumer<String> progress, String runId)
        implements AutoCloseable {

    /** The workspace of most requests. */
    static final long HOME = 100;

    /** What {@link #setQuota} leaves a workspace. */
    static final long QUOTA = 150;

    /** What one charge takes. */
    static final int AMOUNT = 3;

    /** Only what never comes is broken; a slow machine may take long. */
    static final Duration LONGEST_WAIT = Duration.ofMinutes(3);

    /** A chapter of the story begins, with this step. */
    void chapter(String title, String step) {
        findings.chapter(title);
        progress.accept(step);
    }

    void fact(String promise, Object expected, Object found) {
        findings.fact(promise, expected, found);
    }

    /** That there is no such row. */
    void none(String what, String from, Object... values) {
        fact(what, 0L, count(from, values));
    }

    /** Sends many at once; answers in their order. */
    List<Answer> send(List<Request> requests) throws IOException, InterruptedException {
        return client.send(url, requests);
    }

    Answer send(Request request) throws IOException, InterruptedException {
        return client.send(url, request);
    }

    /** Creates apps of names that begin like this. */
    List<UUID> createApps(long workspace, String beginning, int number) throws IOException, InterruptedException {
        return send(IntStream.range(0, number)
                        .mapToObj(i -> createApp(workspace, name(beginning, i)))
                        .toList())
                .stream()
                .map(answer -> UUID.fromString(answer.body().path("app").asText()))
                .toList();
    }

    /** A name that no other run has. */
    String name(String beginning, int number) {
        return beginning + " " + runId + " " + number;
    }

    Request createApp(long workspace, String name) {
        return new Request(
                CreateApp.POLICY.path(),
                workspace,
                List.of("Idempotency-Key", "\"" + name.replace(' ', '-') + "\""),
                Map.of("name", name));
    }

    Request execution(long workspace, UUID app, String id) {
        return new Request(
                TriggerExecution.POLICY.path(),
                workspace,
                List.of("X-Request-Id", runId + "-" + id.replace(' ', '-')),
                Map.of("app", app));
    }

    Request charge(long workspace, String transaction) {
        return new Request(
                ChargePayment.POLICY.path(),
                workspace,
                List.of("Transaction-Id", runId + "-" + transaction.replace(' ', '-')),
                Map.of("amount", AMOUNT));
    }

    Request request(Policy policy, UUID app) {
        return new Request(policy.path(), HOME, List.of(), Map.of("app", app));
    }

    /** A month's quota of which nothing is used. */
    void setQuota(long workspace) {
        platform.database
                .jdbi()
                .useHandle(handle -> handle.execute(
                        "UPDATE workspace SET quota_granted = ?, quota_left = ?, quota_month = 1 WHERE id = ?",
                        QUOTA,
                        QUOTA,
                        workspace));
    }

    long charges(long workspace) {
        return count("charge WHERE workspace_id = ? AND transaction_id LIKE ?", workspace, runId + "-%");
    }

    long left(long workspace) {
        return number("SELECT quota_left FROM workspace WHERE id = ?", workspace);
    }

    long count(String from, Object... values) {
        return number("SELECT count(*) FROM " + from, values);
    }

    private long number(String query, Object... values) {
        return platform.database
                .jdbi()
                .withHandle(
                        handle -> handle.select(query, values).mapTo(Long.class).one());
    }

    void waitFor(String what, BooleanSupplier there) throws InterruptedException {
        long end = System.nanoTime() + LONGEST_WAIT.toNanos();
        while (!there.getAsBoolean()) {
            if (System.nanoTime() > end) {
                findings.fact("it came to its end: " + what, true, false);
                return;
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
