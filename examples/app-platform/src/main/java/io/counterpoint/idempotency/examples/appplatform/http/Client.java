package io.counterpoint.idempotency.examples.appplatform.http;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.programs.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;

/** A client of the service. It can retry while the response says to wait, and lose responses on demand. */
public final class Client implements AutoCloseable {

    private static final int AT_ONCE = 64;
    private static final int MOST_TRIES = 200;
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final HttpClient http = HttpClient.newHttpClient();
    private final Callers callers = new Callers(AT_ONCE);

    /**
     * A request.
     *
     * @param header a header and its value, or an empty list
     */
    public record Request(String path, long workspace, List<String> header, Object body) {}

    /**
     * A response.
     *
     * @param again the number of retries
     */
    public record Answer(int status, JsonNode body, boolean replayed, int again) {
        /** Whether the effect exists, created by this request or an earlier one. */
        public boolean isThere() {
            return status < 300;
        }

        /** Whether an earlier request created the effect. */
        public boolean isRepeated() {
            return replayed || body.path("by").asText().equals("an earlier request");
        }
    }

    /** Sends requests concurrently, and returns the responses in the same order. */
    public List<Answer> send(String url, List<Request> requests) throws InterruptedException, IOException {
        return callers.ask(requests.stream()
                .map(request -> (Callable<Answer>) () -> send(url, request))
                .toList());
    }

    /** Sends requests concurrently, and does not wait for responses. */
    public void sendIntoTheDark(String url, List<Request> requests) {
        requests.forEach(request -> callers.askUnheard(() -> once(url, request)));
    }

    /** Sends a request, and retries until it is neither in progress nor to be retried. */
    public Answer send(String url, Request request) throws IOException, InterruptedException {
        for (int again = 0; ; again++) {
            Answer answer = once(url, request);
            boolean wait = answer.status() == 409 || answer.status() == 503;
            if (!wait || again == MOST_TRIES) {
                return new Answer(answer.status(), answer.body(), answer.replayed(), again);
            }
            Thread.sleep(PAUSE.toMillis());
        }
    }

    /** Sends a request once, whatever the response is. */
    public Answer once(String url, Request request) throws IOException, InterruptedException {
        HttpResponse<String> response = http.send(post(url, request), BodyHandlers.ofString());
        boolean replayed = response.headers().firstValue("Idempotent-Replayed").isPresent();
        return new Answer(response.statusCode(), Json.parse(response.body()), replayed, 0);
    }

    /** The service does its work and responds, but this client hangs up as soon as the response begins. */
    public void loseAnswer(String url, Request request) throws IOException, InterruptedException {
        AtomicBoolean answered = new AtomicBoolean();
        try {
            HttpResponse<Void> unused = http.send(post(url, request), head -> {
                answered.set(true);
                throw new IllegalStateException("hung up");
            });
        } catch (IOException gone) {
            if (!answered.get()) {
                throw gone;
            }
        }
    }

    /** Sends a GET request. */
    public JsonNode get(String url, long workspace, List<String> header) throws IOException, InterruptedException {
        HttpRequest request = builder(url, workspace, header).build();
        return Json.parse(http.send(request, BodyHandlers.ofString()).body());
    }

    private static HttpRequest post(String url, Request request) {
        return builder(url + request.path(), request.workspace(), request.header())
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(Json.of(request.body()).toString()))
                .build();
    }

    private static HttpRequest.Builder builder(String url, long workspace, List<String> header) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(url))
                .timeout(Duration.ofSeconds(30))
                .header("Workspace", Long.toString(workspace));
        return header.isEmpty() ? builder : builder.headers(header.toArray(String[]::new));
    }

    @Override
    public void close() {
        callers.close();
    }
}
