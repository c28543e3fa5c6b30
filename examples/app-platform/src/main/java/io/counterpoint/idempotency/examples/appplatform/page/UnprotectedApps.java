package io.counterpoint.idempotency.examples.appplatform.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.programs.Json;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.function.Function;

/** The button without protection: every request makes an app, as services do that know no keys. */
final class UnprotectedApps extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private static final int LONGEST_BODY = 4_096;

    private final transient Function<String, ?> create;

    /** Creates an app of a name. */
    UnprotectedApps(Function<String, ?> create) {
        this.create = create;
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        JsonNode body = Json.parse(new String(request.getInputStream().readNBytes(LONGEST_BODY), UTF_8));
        Reply.json(response, 201, Map.of("app", create.apply(body.path("name").asText())));
    }
}
