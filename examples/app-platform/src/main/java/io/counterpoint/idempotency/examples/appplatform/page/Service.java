package io.counterpoint.idempotency.examples.appplatform.page;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.examples.appplatform.http.Client;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Answer;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Request;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** The service as the page uses it: over HTTP, as a client of one workspace and as an operator. */
record Service(ShownPlatform platform, Client client) {

    /** The workspace whose client the page is. */
    static final long WORKSPACE = 1;

    /** A request for an app with a key. */
    static Request app(String name, String key) {
        return new Request("/apps", WORKSPACE, List.of("Idempotency-Key", "\"" + key + "\""), Map.of("name", name));
    }

    /** Reads as an operator. */
    JsonNode get(String path) throws IOException, InterruptedException {
        return client.get(platform.service() + path, WORKSPACE, operator());
    }

    /** Sends a request as an operator, and passes on refusals from the service. */
    JsonNode operate(String path, Object body) throws IOException, InterruptedException, Refusal {
        Answer answer = client.once(platform.service(), new Request(path, WORKSPACE, operator(), body));
        if (!answer.isThere()) {
            String code = answer.body().path("title").asText();
            throw new Refusal(
                    answer.status(), code, answer.body().path("detail").asText());
        }
        return answer.body();
    }

    private List<String> operator() {
        return List.of("Authorization", "Bearer " + platform.operatorToken());
    }
}
