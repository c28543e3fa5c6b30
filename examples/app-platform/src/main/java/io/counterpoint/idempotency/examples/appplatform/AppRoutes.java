package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.transition.Transition;
import io.counterpoint.idempotency.examples.appplatform.Read.Level;
import io.counterpoint.idempotency.examples.appplatform.Routes.Handler;
import io.counterpoint.idempotency.examples.appplatform.ShownApps.App;
import io.counterpoint.idempotency.examples.appplatform.http.Refusals;
import io.counterpoint.idempotency.examples.appplatform.usecase.ChargePayment;
import io.counterpoint.idempotency.examples.appplatform.usecase.CreateApp;
import io.counterpoint.idempotency.examples.appplatform.usecase.ProvisionDatabase;
import io.counterpoint.idempotency.examples.appplatform.usecase.PublishApp;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import io.counterpoint.idempotency.examples.appplatform.usecase.TriggerExecution;
import io.counterpoint.idempotency.servlet.IdempotentRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The routes for clients of a workspace: their apps, executions and charges. */
final class AppRoutes {

    static final Read LIST = new Read("/apps", Level.STRONG, "the tables");
    static final Read APP = new Read("/apps/*", Level.STRONG, "the tables");
    static final Read CATALOG =
            new Read("/catalog/*", Level.SESSION, "the node's cache; after a write of the session the tables");
    static final Read SEARCH = new Read("/search", Level.EVENTUAL, "the search index");
    static final Read USAGE = new Read("/usage", Level.EVENTUAL, "usage statistics");

    private static final int LISTED = 100;

    private final Platform platform;

    AppRoutes(Platform platform) {
        this.platform = platform;
    }

    void addTo(Routes routes) {
        routes.post(CreateApp.POLICY, 201, this::createApp, Parameter.WORKSPACE, Parameter.NAME)
                .post(PublishApp.POLICY, 200, this::publishApp, Parameter.WORKSPACE, Parameter.APP)
                .post(ProvisionDatabase.POLICY, 200, this::provisionDatabase, Parameter.WORKSPACE, Parameter.APP)
                .post(TriggerExecution.POLICY, 202, this::triggerExecution, Parameter.WORKSPACE, Parameter.APP)
                .post(
                        ChargePayment.POLICY,
                        201,
                        this::charge,
                        Parameter.WORKSPACE,
                        Parameter.TRANSACTION,
                        Parameter.AMOUNT)
                .get(LIST, this::list, Parameter.WORKSPACE)
                .get(APP, app(APP), Parameter.WORKSPACE)
                .get(CATALOG, app(CATALOG), Parameter.WORKSPACE)
                .get(SEARCH, this::search, Parameter.WORKSPACE, Parameter.WORDS)
                .get(USAGE, this::usage, Parameter.WORKSPACE);
    }

    private Object createApp(Inputs inputs) throws Refusal {
        IdempotentRequest request = IdempotentRequest.of(inputs.request());
        UUID app = request.resultOf(platform.createApp.execute(
                request.attempt(), inputs.get(Parameter.WORKSPACE), inputs.get(Parameter.NAME)));
        return Map.of("app", app);
    }

    private Object publishApp(Inputs inputs) throws Refusal {
        return moved(platform.publishApp.execute(inputs.get(Parameter.WORKSPACE), inputs.get(Parameter.APP)));
    }

    private Object provisionDatabase(Inputs inputs) throws Refusal {
        return moved(platform.provisionDatabase.execute(inputs.get(Parameter.WORKSPACE), inputs.get(Parameter.APP)));
    }

    /** Reports to a repeated request whether the transition is complete or still in progress. */
    private static Object moved(Transition<?> transition) throws Refusal {
        Map<String, String> answer = transition.fold(
                moved -> Map.of("status", moved.to().toString(), "by", "this request"),
                already -> Map.of("status", already.state().toString(), "by", "an earlier request"),
                refused -> Map.of(),
                missing -> Map.of());
        if (answer.isEmpty()) {
            throw Refusals.busy("Another request is working on it: " + transition + ".");
        }
        return answer;
    }

    private Object triggerExecution(Inputs inputs) throws Refusal {
        long workspace = inputs.get(Parameter.WORKSPACE);
        UUID app = inputs.get(Parameter.APP);
        Optional<IdempotentRequest> request = IdempotentRequest.find(inputs.request());
        UUID execution = request.isPresent()
                ? request.get()
                        .resultOf(
                                platform.triggerExecution.execute(request.get().attempt(), workspace, app))
                : platform.triggerExecution.executeUnprotected(workspace, app);
        return Map.of("execution", execution);
    }

    private Object charge(Inputs inputs) throws Refusal {
        IdempotentRequest request = IdempotentRequest.of(inputs.request());
        long left = request.resultOf(platform.chargePayment.execute(
                request.attempt(),
                inputs.get(Parameter.WORKSPACE),
                inputs.get(Parameter.TRANSACTION),
                inputs.get(Parameter.AMOUNT)));
        return Map.of("left", left);
    }

    private Handler app(Read read) {
        return inputs -> {
            String id = Parameter.uuid(inputs.name())
                    .orElseThrow(() -> Refusals.malformed("The app must be a UUID."))
                    .toString();
            App app = (read.mayBeCached(inputs.request()) ? platform.cache.get(id) : platform.cache.read(id))
                    .filter(found -> found.workspace() == inputs.get(Parameter.WORKSPACE))
                    .orElseThrow(() -> Refusal.missing("app in this workspace"));
            return Map.of(
                    "app", app.id(),
                    "name", app.name(),
                    "status", app.status(),
                    "database", app.databaseStatus(),
                    "version", app.version());
        };
    }

    private Object list(Inputs inputs) {
        return Map.of(
                "apps",
                platform.apps.list(inputs.get(Parameter.WORKSPACE), LISTED).stream()
                        .map(app -> Map.of("app", app.id(), "name", app.name(), "version", app.version()))
                        .toList());
    }

    private Object search(Inputs inputs) {
        List<UUID> found = platform.database
                .jdbi()
                .withHandle(handle ->
                        SearchIndex.find(handle, inputs.get(Parameter.WORKSPACE), inputs.get(Parameter.WORDS)));
        return Map.of("apps", found);
    }

    private Object usage(Inputs inputs) {
        long executions = platform.database
                .jdbi()
                .withHandle(handle -> UsageStatistics.of(handle, inputs.get(Parameter.WORKSPACE)));
        return Map.of("executions", executions);
    }
}
