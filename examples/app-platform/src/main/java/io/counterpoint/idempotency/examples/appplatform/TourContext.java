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
 * What the chapters of a tour share: the service, requests to it, its database, and the findings.
 *
 * @param url the URL of the service
 * @param runId distinguishes this run's names and keys from those of other runs on the same database
 */
record TourContext(
        Platform platform, String url, Client client, Findings findings, Consumer<String> progress, String runId)
        implements AutoCloseable {

    /** The workspace of most requests. */
    static final long HOME = 100;

    /** The quota that {@link #setQuota} gives a workspace. */
    static final long QUOTA = 150;

    /** The amount of one charge. */
    static final int AMOUNT = 3;

    /** Long, because only what never happens is a failure, and the machine may be slow. */
    static final Duration LONGEST_WAIT = Duration.ofMinutes(3);

    /** Begins a chapter of the story, with its first step. */
    void chapter(String title, String step) {
        findings.chapter(title);
        progress.accept(step);
    }

    void fact(String promise, Object expected, Object found) {
        findings.fact(promise, expected, found);
    }

    /** Requires that there is no such row. */
    void none(String what, String from, Object... values) {
        fact(what, 0L, count(from, values));
    }

    /** Sends requests concurrently, and returns the responses in the same order. */
    List<Answer> send(List<Request> requests) throws IOException, InterruptedException {
        return client.send(url, requests);
    }

    Answer send(Request request) throws IOException, InterruptedException {
        return client.send(url, request);
    }

    /** Creates apps whose names begin with the given text. */
    List<UUID> createApps(long workspace, String beginning, int number) throws IOException, InterruptedException {
        return send(IntStream.range(0, number)
                        .mapToObj(i -> createApp(workspace, name(beginning, i)))
                        .toList())
                .stream()
                .map(answer -> UUID.fromString(answer.body().path("app").asText()))
                .toList();
    }

    /** A name that is unique to this run. */
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

    /** Sets an unused quota for the month. */
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
