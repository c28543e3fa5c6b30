package io.counterpoint.idempotency.examples.appplatform;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterpoint.idempotency.programs.CannotRun;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A client of the service that asks again while the answer is to wait. */
final class Client implements AutoCloseable {

    private static final int AT_ONCE = 64;
    private static final int MOST_TRIES = 200;
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final HttpClient http = HttpClient.newHttpClient();
    private final ObjectMapper mapper = new ObjectMapper();
    private final ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE, work -> {
        Thread thread = new Thread(work, "client");
        thread.setDaemon(true);
        return thread;
    });

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
    }

    /** Sends many at once; answers in their order. */
    List<Answer> send(String url, List<Request> requests) throws InterruptedException, IOException {
        List<Future<Answer>> futures = new ArrayList<>();
        for (Request request : requests) {
            futures.add(threads.submit(() -> send(url, request)));
        }
        List<Answer> answers = new ArrayList<>();
        for (Future<Answer> future : futures) {
            try {
                answers.add(future.get());
            } catch (ExecutionException e) {
                throw new IOException("A request was not answered: " + CannotRun.rootMessage(e), e);
            }
        }
        return answers;
    }

    /** Sends many at once and waits for no answer. */
    void sendIntoTheDark(String url, List<Request> requests) {
        for (Request request : requests) {
            var unused = threads.submit(() -> once(url, request));
        }
    }

    /** Until it is neither outstanding nor to be asked again. */
    Answer send(String url, Request request) throws IOException, InterruptedException {
        for (int again = 0; ; again++) {
            HttpResponse<String> response = once(url, request);
            boolean wait = response.statusCode() == 409 || response.statusCode() == 503;
            if (!wait || again == MOST_TRIES) {
                boolean replayed =
                        response.headers().firstValue("Idempotent-Replayed").isPresent();
                return new Answer(response.statusCode(), mapper.readTree(response.body()), replayed, again);
            }
            Thread.sleep(PAUSE.toMillis());
        }
    }

    JsonNode get(String url, long workspace, List<String> header) throws IOException, InterruptedException {
        HttpRequest.Builder builder =
                HttpRequest.newBuilder(URI.create(url)).header("Workspace", Long.toString(workspace));
        if (!header.isEmpty()) {
            builder.headers(header.toArray(String[]::new));
        }
        return mapper.readTree(
                http.send(builder.build(), BodyHandlers.ofString()).body());
    }

    private HttpResponse<String> once(String url, Request request) throws IOException, InterruptedException {
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(url + request.path()))
                .timeout(Duration.ofSeconds(30))
                .header("Workspace", Long.toString(request.workspace()))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(mapper.writeValueAsString(request.body())));
        if (!request.header().isEmpty()) {
            builder.headers(request.header().toArray(String[]::new));
        }
        return http.send(builder.build(), BodyHandlers.ofString());
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
