package io.counterpoint.idempotency.examples.appplatform.page;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.examples.appplatform.http.Client;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Answer;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Request;
import io.counterpoint.idempotency.examples.appplatform.page.Action.Done;
import io.counterpoint.idempotency.examples.appplatform.page.Action.Work;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The service as the page uses it: over HTTP, as a client of one workspace and as an operator. */
record Service(ShownPlatform platform, Client client) {

    /** The workspace that the page asks as. */
    static final long WORKSPACE = 1;

    /** What asks for an app under a key. */
    static Request app(String name, String key) {
        return new Request("/apps", WORKSPACE, List.of("Idempotency-Key", "\"" + key + "\""), Map.of("name", name));
    }

    /** Creates an app under a fresh key. Returns its id. */
    String createApp(String name) throws IOException, InterruptedException {
        String key = UUID.randomUUID().toString();
        return ask(app(name + " " + key, key)).path("app").asText();
    }

    /** Asks again while another request is at it. */
    JsonNode ask(String path, Map<String, ?> body, String... header) throws IOException, InterruptedException {
        return ask(new Request(path, WORKSPACE, List.of(header), body));
    }

    private JsonNode ask(Request request) throws IOException, InterruptedException {
        Answer answer = client.send(platform.service(), request);
        if (!answer.isThere()) {
            throw new IOException("The service answered " + answer.status() + ": " + answer.body());
        }
        return answer.body();
    }

    JsonNode get(String path) throws IOException, InterruptedException {
        return client.get(platform.service() + path, WORKSPACE, operator());
    }

    /** Asks as an operator, and refuses what the service refuses. */
    JsonNode operate(String path, Object body) throws IOException, InterruptedException, Refusal {
        Answer answer = client.once(platform.service(), new Request(path, WORKSPACE, operator(), body));
        if (!answer.isThere()) {
            String code = answer.body().path("title").asText();
            throw new Refusal(
                    answer.status(), code, answer.body().path("detail").asText());
        }
        return answer.body();
    }

    /** Hands the fields of an action to the service, as an operator, and shows what it answers. */
    Work operating(String path, String said) {
        return input -> Done.of(said, operate(path, input.fields()));
    }

    private List<String> operator() {
        return List.of("Authorization", "Bearer " + platform.operatorToken());
    }
}
