package io.counterpoint.idempotency.examples.appplatform.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.programs.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
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
import java.util.stream.Stream;

/** Sends requests, and loses answers on demand: it hangs up when the first byte of the answer arrives. */
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
        if (answer.status() == 422) {
            throw Refused.notNow(answer.detail());
        }
        if (answer.status() != 200) {
            throw new IOException("The service answered " + answer.status() + ": " + answer.detail());
        }
        return answer.body();
    }

    Answer send(Sent sent, String method) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(sent.to())
                .timeout(LONGEST)
                .header("Content-Type", "application/json")
                .headers(sent.headers().toArray(String[]::new))
                .method(method, method.equals("POST") ? BodyPublishers.ofString(sent.json()) : BodyPublishers.noBody())
                .build();
        HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
        return new Answer(
                response.statusCode(),
                response.headers().firstValue("Idempotent-Replayed").isPresent(),
                response.body().isEmpty() ? Json.object() : Json.parse(response.body()));
    }

    /** The service did its work and answered; this client learns nothing of it. */
    void sendAndLoseTheAnswer(Sent sent) throws IOException {
        URI to = sent.to();
        byte[] body = sent.json().getBytes(UTF_8);
        StringBuilder head = new StringBuilder("POST " + to.getRawPath() + " HTTP/1.1\r\nHost: " + to.getAuthority()
                + "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " + body.length + "\r\n");
        for (int i = 0; i < sent.headers().size(); i += 2) {
            head.append(sent.headers().get(i) + ": " + sent.headers().get(i + 1) + "\r\n");
        }
        try (Socket socket = new Socket(to.getHost(), to.getPort())) {
            socket.setSoTimeout((int) LONGEST.toMillis());
            OutputStream out = socket.getOutputStream();
            out.write(head.append("\r\n").toString().getBytes(UTF_8));
            out.write(body);
            out.flush();
            int unused = socket.getInputStream().read();
            socket.setSoLinger(true, 0);
        }
    }
}
