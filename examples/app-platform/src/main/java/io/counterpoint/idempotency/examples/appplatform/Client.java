package io.counterpoint.idempotency.examples.appplatform;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.examples.appplatform.http.Callers;
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
import java.util.Map;
import java.util.concurrent.Callable;

/** A client of the service that asks again while the answer is to wait. */
final class Client implements AutoCloseable {

    private static final int AT_ONCE = 64;
    private static final int MOST_TRIES = 200;
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final HttpClient http = HttpClient.newHttpClient();
    private final Callers callers = new Callers(AT_ONCE);

    /**
     * What is asked.
     *
     * @param header a header and its value, or nothing
     */
    record Request(String path, long workspace, List<String> header, Map<String, Object> body) {}

    /**
     * What came of it.
     *
     * @param again how often it was asked again
     */
    record Answer(int status, JsonNode body, boolean replayed, int again) {
        boolean isThere() {
            return status < 300;
        }

        /** Whether an earlier request has done it. */
        boolean isRepeated() {
            return replayed || body.path("by").asText().equals("an earlier request");
        }
    }

    /** Sends many at once; answers in their order. */
    List<Answer> send(String url, List<Request> requests) throws InterruptedException, IOException {
        return callers.ask(requests.stream()
                .map(request -> (Callable<Answer>) () -> send(url, request))
                .toList());
    }

    /** Sends many at once and waits for no answer. */
    void sendIntoTheDark(String url, List<Request> requests) {
        requests.forEach(request -> callers.askUnheard(() -> once(url, request)));
    }

    /** Until it is neither outstanding nor to be asked again. */
    Answer send(String url, Request request) throws IOException, InterruptedException {
        for (int again = 0; ; again++) {
            HttpResponse<String> response = once(url, request);
            boolean wait = response.statusCode() == 409 || response.statusCode() == 503;
            if (!wait || again == MOST_TRIES) {
                boolean replayed =
                        response.headers().firstValue("Idempotent-Replayed").isPresent();
                return new Answer(response.statusCode(), Json.parse(response.body()), replayed, again);
            }
            Thread.sleep(PAUSE.toMillis());
        }
    }

    JsonNode get(String url, long workspace, List<String> header) throws IOException, InterruptedException {
        HttpRequest request = builder(url, workspace, header).build();
        return Json.parse(http.send(request, BodyHandlers.ofString()).body());
    }

    private HttpResponse<String> once(String url, Request request) throws IOException, InterruptedException {
        HttpRequest.Builder builder = builder(url + request.path(), request.workspace(), request.header())
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(Json.of(request.body()).toString()));
        return http.send(builder.build(), BodyHandlers.ofString());
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
