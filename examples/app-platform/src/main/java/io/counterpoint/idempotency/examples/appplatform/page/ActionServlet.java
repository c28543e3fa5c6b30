package io.counterpoint.idempotency.examples.appplatform.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.examples.appplatform.page.Action.Done;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.Json;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** {@code GET} lists the actions with their links; {@code POST} with a name does one. */
final class ActionServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private static final int LONGEST_BODY = 4_096;

    private final transient Map<String, Action> actions = new LinkedHashMap<>();
    private final transient Consumer<String> log;

    ActionServlet(List<Action> actions, Consumer<String> log) {
        actions.forEach(action -> this.actions.put(action.name(), action));
        this.log = log;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Reply.json(
                response,
                200,
                actions.values().stream().map(ActionServlet::links).toList());
    }

    private static Map<String, Object> links(Action action) {
        return new LinkedHashMap<>(
                Map.of("action", action.name(), "paragraph", action.paragraph(), "test", action.test()));
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String path = request.getPathInfo();
        try {
            Action action = path == null ? null : actions.get(path.substring(1));
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
            log.accept("page, " + path + ": " + fault);
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
