package io.counterpoint.idempotency.examples.appplatform.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.examples.appplatform.page.Action.Done;
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
 * The page itself, at {@code /}: one file, whose script and style run because the answer names them, and no other does. At
 * {@code /actions/} {@code GET} lists the actions with their links, and {@code POST} with a name does one.
 */
final class PageServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    /** Stands in the file where the answer's nonce goes. */
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
                Reply.json(
                        response,
                        200,
                        actions.values().stream().map(PageServlet::links).toList());
            default -> Reply.problem(response, 404, "There is no such page.");
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
            Reply.send(response, 200, "text/html", new String(in.readAllBytes(), UTF_8).replace(NONCE, nonce));
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
                throw Refused.unknown("There is no such action.");
            }
            Done done = action.work().run(input(request));
            Map<String, Object> answer = links(action);
            answer.put("said", done.said());
            answer.putAll(done.found());
            Reply.json(response, 200, answer);
        } catch (Refused refused) {
            Reply.problem(response, refused.status(), String.valueOf(refused.getMessage()));
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            Reply.problem(response, 503, "The program is stopping.");
        } catch (IOException | RuntimeException fault) {
            log.accept("page, " + request.getRequestURI() + ": " + fault);
            Reply.problem(response, 500, "This did not work: " + CannotRun.rootMessage(fault) + ".");
        }
    }

    private static Input input(HttpServletRequest request) throws IOException, Refused {
        if (!"application/json".equals(request.getContentType())) {
            throw Refused.malformed("The body has to be application/json.");
        }
        byte[] body = request.getInputStream().readNBytes(LONGEST_BODY + 1);
        if (body.length > LONGEST_BODY) {
            throw Refused.malformed("The body has to have at most " + LONGEST_BODY + " bytes.");
        }
        try {
            return new Input(Json.parse(new String(body, UTF_8)));
        } catch (IllegalArgumentException noJson) {
            throw Refused.malformed("The body has to be a JSON object.");
        }
    }
}
