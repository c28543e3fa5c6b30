package io.counterpoint.idempotency.examples.appplatform.page;

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
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** Sends requests, and loses answers on demand: it hangs up when the head of the answer arrives. */
final class LossyClient {

    /** The workspace that the page asks as. */
    static final List<String> WORKSPACE = List.of("Workspace", "1");

    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final int MOST_TRIES = 100;

    private final HttpClient http = HttpClient.newHttpClient();

    /**
     * A request.
     *
     * @param headers names and values, one after the other
     */
    record Sent(URI to, List<String> headers, String json) {}

    /** An answer that arrived. */
    record Answer(int status, boolean replayed, JsonNode body) {

        private String detail() {
            return body.path("detail").asText();
        }
    }

    /** Creates an app under a fresh key. Returns its id. */
    String createApp(ShownPlatform platform, String name) throws IOException, InterruptedException {
        String key = UUID.randomUUID().toString();
        return ask(platform, "/apps", Map.of("name", name + " " + key), "Idempotency-Key", "\"" + key + "\"")
                .path("app")
                .asText();
    }

    /** Asks again while another request is at it. */
    JsonNode ask(ShownPlatform platform, String path, Map<String, ?> body, String... headers)
            throws IOException, InterruptedException {
        Sent sent = new Sent(
                URI.create(platform.service() + path),
                Stream.concat(WORKSPACE.stream(), Stream.of(headers)).toList(),
                Json.of(body).toString());
        for (int tries = 1; ; tries++) {
            Answer answer = send(sent, "POST");
            boolean wait = answer.status() == 409 || answer.status() == 503;
            if (!wait && answer.status() >= 300) {
                throw new IOException("The service answered " + answer.status() + ": " + answer.detail());
            }
            if (!wait || tries == MOST_TRIES) {
                return answer.body();
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /** Asks as an operator. */
    JsonNode operate(ShownPlatform platform, String method, String path, Map<String, ?> body)
            throws IOException, InterruptedException, Refused {
        Answer answer = send(
                new Sent(
                        URI.create(platform.service() + path),
                        List.of("Authorization", "Bearer " + platform.operatorToken()),
                        Json.of(body).toString()),
                method);
        if (answer.status() == 404) {
            throw Refused.unknown(answer.detail());
        }
        if (answer.status() == 409 || answer.status() == 422) {
            throw Refused.notNow(answer.detail());
        }
        if (answer.status() != 200) {
            throw new IOException("The service answered " + answer.status() + ": " + answer.detail());
        }
        return answer.body();
    }

    Answer send(Sent sent, String method) throws IOException, InterruptedException {
        HttpResponse<String> response = http.send(request(sent, method), BodyHandlers.ofString());
        return new Answer(
                response.statusCode(),
                response.headers().firstValue("Idempotent-Replayed").isPresent(),
                response.body().isEmpty() ? Json.object() : Json.parse(response.body()));
    }

    private static HttpRequest request(Sent sent, String method) {
        return HttpRequest.newBuilder(sent.to())
                .timeout(LONGEST)
                .header("Content-Type", "application/json")
                .headers(sent.headers().toArray(String[]::new))
                .method(method, method.equals("POST") ? BodyPublishers.ofString(sent.json()) : BodyPublishers.noBody())
                .build();
    }

    /** The service did its work and answered; this client learns nothing of it. */
    void sendAndLoseTheAnswer(Sent sent) throws IOException, InterruptedException {
        AtomicBoolean answered = new AtomicBoolean();
        try {
            HttpResponse<Void> unused = http.send(request(sent, "POST"), head -> {
                answered.set(true);
                throw new IllegalStateException("hung up");
            });
        } catch (IOException gone) {
            if (!answered.get()) {
                throw gone;
            }
        }
    }
}
