package io.counterpoint.idempotency.examples.appplatform.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.examples.appplatform.http.Refusals;
import io.counterpoint.idempotency.examples.appplatform.http.Replies;
import io.counterpoint.idempotency.examples.appplatform.page.Action.Done;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.Json;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * The page itself at {@code /}: a single file whose script and style carry the response's nonce, so the browser runs no
 * others. At {@code /actions/}, {@code GET} lists the actions with their links, and {@code POST} with a name performs
 * one.
 */
final class PageServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    /** The placeholder in the file for the response's nonce. */
    private static final String NONCE = "{{nonce}}";

    private static final String ACTIONS = "/actions/";
    private static final int LONGEST_BODY = 4_096;

    private final transient Map<String, Action> actions = new LinkedHashMap<>();
    private final transient Consumer<String> log;

    PageServlet(List<Action> actions, Consumer<String> log) {
        actions.forEach(action -> this.actions.put(ACTIONS + action.name(), action));
        this.log = log;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        switch (request.getRequestURI()) {
            case "/" -> page(response);
            case ACTIONS ->
                Replies.answer(
                        response,
                        200,
                        actions.values().stream().map(PageServlet::links).toList());
            default -> Replies.refusal(response, Refusals.missingPage());
        }
    }

    private static void page(HttpServletResponse response) throws IOException {
        String nonce = UUID.randomUUID().toString();
        response.setHeader(
                "Content-Security-Policy",
                "default-src 'none'; script-src 'nonce-" + nonce + "'; style-src 'nonce-" + nonce
                        + "'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none';"
                        + " frame-ancestors 'none'");
        try (InputStream in = Objects.requireNonNull(PageServlet.class.getResourceAsStream("page.html"))) {
            Replies.send(response, 200, "text/html", new String(in.readAllBytes(), UTF_8).replace(NONCE, nonce));
        }
    }

    private static Map<String, Object> links(Action action) {
        return new LinkedHashMap<>(
                Map.of("action", action.name(), "paragraph", action.paragraph(), "test", action.test()));
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Action action = actions.get(request.getRequestURI());
        try {
            if (action == null) {
                throw Refusal.missing("action");
            }
            Done done = action.work().run(input(request));
            Map<String, Object> answer = links(action);
            answer.put("said", done.said());
            answer.putAll(done.found());
            Replies.answer(response, 200, answer);
        } catch (Refusal refusal) {
            Replies.refusal(response, refusal);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            Replies.problem(response, 503, "stopping", "The program is stopping.");
        } catch (IOException | RuntimeException fault) {
            log.accept("page, " + request.getRequestURI() + ": " + fault);
            Replies.problem(response, 500, "fault", "This failed: " + CannotRun.rootMessage(fault) + ".");
        }
    }

    private static Input input(HttpServletRequest request) throws IOException, Refusal {
        if (!"application/json".equals(request.getContentType())) {
            throw Refusals.malformed("The body must be application/json.");
        }
        byte[] body = request.getInputStream().readNBytes(LONGEST_BODY + 1);
        if (body.length > LONGEST_BODY) {
            throw Refusals.malformed("The body must be at most " + LONGEST_BODY + " bytes long.");
        }
        try {
            JsonNode fields = Json.parse(new String(body, UTF_8));
            if (fields.isObject()) {
                return new Input(fields);
            }
        } catch (IllegalArgumentException noJson) {
            // Falls through to the refusal below.
        }
        throw Refusals.malformed("The body must be a JSON object.");
    }
}
