package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.transition.Transition;
import io.counterpoint.idempotency.examples.appplatform.usecase.CreateApp;
import io.counterpoint.idempotency.examples.appplatform.usecase.ProvisionDatabase;
import io.counterpoint.idempotency.examples.appplatform.usecase.PublishApp;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import io.counterpoint.idempotency.servlet.IdempotentRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Apps: they are created, published, get a database, and are read. */
final class AppRoutes {

    private static final int LISTED = 100;

    private final Platform platform;

    AppRoutes(Platform platform) {
        this.platform = platform;
    }

    void addTo(Routes routes) {
        routes.post(CreateApp.POLICY, this::createApp, Parameter.WORKSPACE, Parameter.NAME)
                .post(PublishApp.POLICY, this::publishApp, Parameter.WORKSPACE, Parameter.APP)
                .post(ProvisionDatabase.POLICY, this::provisionDatabase, Parameter.WORKSPACE, Parameter.APP)
                .get("/apps", this::list, Parameter.WORKSPACE)
                .get("/apps/*", this::app, Parameter.WORKSPACE, Parameter.MIN_VERSION)
                .get("/search", this::search, Parameter.WORKSPACE, Parameter.WORDS);
    }

    private void createApp(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        IdempotentRequest idempotent = IdempotentRequest.of(request);
        UUID app = idempotent.resultOf(platform.createApp()
                .execute(idempotent.attempt(), inputs.get(Parameter.WORKSPACE), inputs.get(Parameter.NAME)));
        wrote(response, app, CreateApp.FIRST_VERSION);
        Replies.answer(response, 201, Map.of("app", app, "version", CreateApp.FIRST_VERSION));
    }

    private void publishApp(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        moved(
                response,
                inputs.get(Parameter.APP),
                platform.publishApp().execute(inputs.get(Parameter.WORKSPACE), inputs.get(Parameter.APP)));
    }

    private void provisionDatabase(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        moved(
                response,
                inputs.get(Parameter.APP),
                platform.provisionDatabase().execute(inputs.get(Parameter.WORKSPACE), inputs.get(Parameter.APP)));
    }

    /** The second request learns that it is done, or that another request is at it. */
    private void moved(HttpServletResponse response, UUID app, Transition<?> transition) throws IOException, Refusal {
        String by =
                transition.fold(moved -> "this request", already -> "an earlier request", refused -> "", missing -> "");
        if (by.isEmpty()) {
            throw Refusals.busy("Another request is at it: " + transition + ".");
        }
        String state = transition.fold(
                moved -> moved.to().toString(), already -> already.state().toString(), refused -> "", missing -> "");
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("status", state);
        answer.put("by", by);
        // It may be later than this write by now; a client that sends it back reads this write.
        long version = platform.apps().version(app);
        wrote(response, app, version);
        answer.put("version", version);
        Replies.answer(response, 200, answer);
    }

    /** This node forgets what it knew before, without waiting for the event. Another node reads this version if asked to. */
    private void wrote(HttpServletResponse response, UUID app, long version) {
        platform.cache().invalidate(app, version);
        Replies.version(response, version);
    }

    private void app(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        UUID id =
                Parameter.uuid(Routes.name(request)).orElseThrow(() -> Refusals.malformed("The app has to be a UUID."));
        AppCache.App app = platform.cache()
                .get(id, inputs.get(Parameter.MIN_VERSION))
                .filter(found -> found.workspace() == inputs.get(Parameter.WORKSPACE))
                .orElseThrow(() -> Refusal.missing("app in this workspace"));
        Replies.version(response, app.version());
        Replies.answer(
                response,
                200,
                Map.of(
                        "app", app.id(),
                        "name", app.name(),
                        "status", app.status(),
                        "database", app.databaseStatus(),
                        "version", app.version()));
    }

    private void list(Inputs inputs, HttpServletRequest request, HttpServletResponse response) throws IOException {
        List<Map<String, Object>> apps = platform.apps().list(inputs.get(Parameter.WORKSPACE), LISTED).stream()
                .map(app -> Map.<String, Object>of("app", app.id(), "name", app.name(), "version", app.version()))
                .toList();
        Replies.answer(response, 200, Map.of("apps", apps));
    }

    private void search(Inputs inputs, HttpServletRequest request, HttpServletResponse response) throws IOException {
        List<UUID> found = platform.search().find(inputs.get(Parameter.WORKSPACE), inputs.get(Parameter.WORDS), 100);
        Replies.answer(response, 200, Map.of("apps", found));
    }
}
