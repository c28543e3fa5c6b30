package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.transition.Transition;
import io.counterpoint.idempotency.examples.appplatform.Read.Level;
import io.counterpoint.idempotency.examples.appplatform.Routes.Handler;
import io.counterpoint.idempotency.examples.appplatform.ShownApps.App;
import io.counterpoint.idempotency.examples.appplatform.http.Refusals;
import io.counterpoint.idempotency.examples.appplatform.http.Replies;
import io.counterpoint.idempotency.examples.appplatform.usecase.CreateApp;
import io.counterpoint.idempotency.examples.appplatform.usecase.ProvisionDatabase;
import io.counterpoint.idempotency.examples.appplatform.usecase.PublishApp;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import io.counterpoint.idempotency.servlet.IdempotentRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Apps: they are created, published, get a database, and are read. */
final class AppRoutes {

    static final Read LIST = new Read("/apps", Level.STRONG, "the tables");
    static final Read APP = new Read("/apps/*", Level.STRONG, "the tables");
    static final Read CATALOG =
            new Read("/catalog/*", Level.SESSION, "the node's cache; after a write of the session the tables");
    static final Read SEARCH = new Read("/search", Level.EVENTUAL, "the search index");

    private static final int LISTED = 100;

    private final Platform platform;

    AppRoutes(Platform platform) {
        this.platform = platform;
    }

    void addTo(Routes routes) {
        routes.post(CreateApp.POLICY, this::createApp, Parameter.WORKSPACE, Parameter.NAME)
                .post(PublishApp.POLICY, this::publishApp, Parameter.WORKSPACE, Parameter.APP)
                .post(ProvisionDatabase.POLICY, this::provisionDatabase, Parameter.WORKSPACE, Parameter.APP)
                .get(LIST, this::list, Parameter.WORKSPACE)
                .get(APP, app(APP), Parameter.WORKSPACE)
                .get(CATALOG, app(CATALOG), Parameter.WORKSPACE)
                .get(SEARCH, this::search, Parameter.WORKSPACE, Parameter.WORDS);
    }

    private void createApp(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        IdempotentRequest idempotent = IdempotentRequest.of(request);
        UUID app = idempotent.resultOf(platform.createApp.execute(
                idempotent.attempt(), inputs.get(Parameter.WORKSPACE), inputs.get(Parameter.NAME)));
        Replies.answer(response, 201, Map.of("app", app));
    }

    private void publishApp(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        moved(response, platform.publishApp.execute(inputs.get(Parameter.WORKSPACE), inputs.get(Parameter.APP)));
    }

    private void provisionDatabase(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        moved(response, platform.provisionDatabase.execute(inputs.get(Parameter.WORKSPACE), inputs.get(Parameter.APP)));
    }

    /** The second request learns that it is done, or that another request is at it. */
    private void moved(HttpServletResponse response, Transition<?> transition) throws IOException, Refusal {
        String by =
                transition.fold(moved -> "this request", already -> "an earlier request", refused -> "", missing -> "");
        if (by.isEmpty()) {
            throw Refusals.busy("Another request is at it: " + transition + ".");
        }
        String state = transition.fold(
                moved -> moved.to().toString(), already -> already.state().toString(), refused -> "", missing -> "");
        Replies.answer(response, 200, Map.of("status", state, "by", by));
    }

    private Handler app(Read read) {
        return (inputs, request, response) -> {
            String id = Parameter.uuid(Routes.name(request))
                    .orElseThrow(() -> Refusals.malformed("The app has to be a UUID."))
                    .toString();
            App app = (read.mayBeCached(request) ? platform.cache.get(id) : platform.cache.read(id))
                    .filter(found -> found.workspace() == inputs.get(Parameter.WORKSPACE))
                    .orElseThrow(() -> Refusal.missing("app in this workspace"));
            Replies.answer(
                    response,
                    200,
                    Map.of(
                            "app", app.id(),
                            "name", app.name(),
                            "status", app.status(),
                            "database", app.databaseStatus(),
                            "version", app.version()));
        };
    }

    private void list(Inputs inputs, HttpServletRequest request, HttpServletResponse response) throws IOException {
        List<Map<String, Object>> apps = platform.apps.list(inputs.get(Parameter.WORKSPACE), LISTED).stream()
                .map(app -> Map.<String, Object>of("app", app.id(), "name", app.name(), "version", app.version()))
                .toList();
        Replies.answer(response, 200, Map.of("apps", apps));
    }

    private void search(Inputs inputs, HttpServletRequest request, HttpServletResponse response) throws IOException {
        List<UUID> found = platform.database
                .jdbi()
                .withHandle(handle ->
                        SearchIndex.find(handle, inputs.get(Parameter.WORKSPACE), inputs.get(Parameter.WORDS)));
        Replies.answer(response, 200, Map.of("apps", found));
    }
}
