package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.check.CheckReport;
import io.counterpoint.idempotency.consistency.check.RepairReport;
import io.counterpoint.idempotency.consistency.transition.Transition;
import io.counterpoint.idempotency.examples.appplatform.Endpoint.Handler;
import io.counterpoint.idempotency.examples.appplatform.Endpoint.Route;
import io.counterpoint.idempotency.examples.appplatform.usecase.ChargePayment;
import io.counterpoint.idempotency.examples.appplatform.usecase.CreateApp;
import io.counterpoint.idempotency.examples.appplatform.usecase.Policy;
import io.counterpoint.idempotency.examples.appplatform.usecase.ProvisionDatabase;
import io.counterpoint.idempotency.examples.appplatform.usecase.PublishApp;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import io.counterpoint.idempotency.examples.appplatform.usecase.TriggerExecution;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.servlet.IdempotencyFilter;
import io.counterpoint.idempotency.servlet.IdempotentRequest;
import io.counterpoint.idempotency.servlet.RoutePolicy;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * The service over HTTP. It believes that a client belongs to the workspace in its header {@code Workspace}. A real
 * service takes the workspace from the authenticated client.
 */
final class Api implements AutoCloseable {

    /** All operations, in the order of the document. */
    static final List<Policy> POLICIES = List.of(
            CreateApp.POLICY,
            PublishApp.POLICY,
            ProvisionDatabase.POLICY,
            TriggerExecution.POLICY,
            ChargePayment.POLICY);

    private static final long IDLE_MILLIS = 200;
    private static final int STOP_MILLIS = 10_000;

    private final Platform platform;
    private final Operator operator;
    private final Consumer<String> log;
    private final Server server;
    private final ServerConnector connector;

    /** Listens on a port of this machine; 0 for any. */
    Api(Platform platform, int port, Operator operator, Consumer<String> log) throws CannotRun {
        this.platform = platform;
        this.operator = operator;
        this.log = log;
        QueuedThreadPool threads = new QueuedThreadPool(100);
        threads.setDaemon(true);
        server = new Server(threads);
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        // Without a pool of buffers: Jetty 12.1.14 may hand one to two connections where some requests are malformed.
        connector = new ServerConnector(
                server, null, null, new ByteBufferPool.NonPooling(), 1, 1, new HttpConnectionFactory(http));
        connector.setHost("127.0.0.1");
        connector.setPort(port);
        connector.setAcceptQueueSize(512);
        // Connections that nobody uses are closed so soon when the service stops.
        connector.setShutdownIdleTimeout(IDLE_MILLIS);
        server.addConnector(connector);
        GracefulHandler graceful = new GracefulHandler();
        graceful.setHandler(paths());
        server.setHandler(graceful);
        server.setStopTimeout(STOP_MILLIS);
        try {
            server.start();
        } catch (Exception e) {
            throw new CannotRun("Cannot listen on port " + port + ": " + CannotRun.rootMessage(e) + ".");
        }
    }

    String url() {
        return "http://127.0.0.1:" + connector.getLocalPort();
    }

    private ServletContextHandler paths() {
        IdempotencyFilter.Builder filter =
                IdempotencyFilter.scopedBy(Api::scope).elsewhere(RoutePolicy.off());
        POLICIES.forEach(
                policy -> filter.route(policy.path(), policy.key().route().maxRequestBody(Inputs.LONGEST_BODY)));
        ServletContextHandler context = new ServletContextHandler();
        POLICIES.stream()
                .filter(policy -> policy.key() == Policy.Key.TRANSACTION)
                .forEach(policy -> context.addFilter(
                        new FilterHolder(new TransactionIdFilter()),
                        policy.path(),
                        EnumSet.of(DispatcherType.REQUEST)));
        context.addFilter(new FilterHolder(filter.build()), "/*", EnumSet.of(DispatcherType.REQUEST));
        post(context, CreateApp.POLICY, this::createApp, Parameter.WORKSPACE, Parameter.NAME);
        post(context, PublishApp.POLICY, this::publishApp, Parameter.WORKSPACE, Parameter.APP);
        post(context, ProvisionDatabase.POLICY, this::provisionDatabase, Parameter.WORKSPACE, Parameter.APP);
        post(context, TriggerExecution.POLICY, this::triggerExecution, Parameter.WORKSPACE, Parameter.APP);
        post(context, ChargePayment.POLICY, this::charge, Parameter.WORKSPACE, Parameter.TRANSACTION, Parameter.AMOUNT);
        get(context, "/apps/*", this::app, Parameter.WORKSPACE, Parameter.MIN_VERSION);
        get(context, "/search", this::search, Parameter.WORKSPACE, Parameter.WORDS);
        get(context, "/usage", this::usage, Parameter.WORKSPACE);
        get(context, "/lags", (inputs, request, response) -> Replies.answer(response, 200, lags()));
        on(context, "/checks", new Route("GET", Optional.of(operator), List.of(), this::check));
        on(context, "/repairs/*", new Route("POST", Optional.of(operator), List.of(Parameter.DRY_RUN), this::repair));
        on(
                context,
                "/rebuilds/search-index",
                new Route(
                        "POST",
                        Optional.of(operator),
                        List.of(),
                        (inputs, request, response) ->
                                Replies.answer(response, 202, Map.of("nodes", platform.rebuildSearch()))));
        on(context, "/", new Route(Endpoint.ANY, Optional.empty(), List.of(), (inputs, request, response) -> {
            throw Refusal.missing("page");
        }));
        return context;
    }

    private void post(ServletContextHandler context, Policy policy, Handler handler, Parameter<?>... takes) {
        on(context, policy.path(), new Route("POST", Optional.empty(), List.of(takes), handler));
    }

    private void get(ServletContextHandler context, String path, Handler handler, Parameter<?>... takes) {
        on(context, path, new Route("GET", Optional.empty(), List.of(takes), handler));
    }

    private void on(ServletContextHandler context, String path, Route route) {
        context.addServlet(new ServletHolder(new Endpoint(route, log)), path);
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
        long version = platform.version(app);
        wrote(response, app, version);
        answer.put("version", version);
        Replies.answer(response, 200, answer);
    }

    /** This node forgets what it knew before, without waiting for the event. Another node reads this version if asked to. */
    private void wrote(HttpServletResponse response, UUID app, long version) {
        platform.cache().invalidate(app, version);
        Replies.version(response, version);
    }

    private void triggerExecution(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        long workspace = inputs.get(Parameter.WORKSPACE);
        UUID app = inputs.get(Parameter.APP);
        Optional<IdempotentRequest> idempotent = IdempotentRequest.find(request);
        UUID execution = idempotent.isPresent()
                ? idempotent
                        .get()
                        .resultOf(platform.triggerExecution()
                                .execute(idempotent.get().attempt(), workspace, app))
                : platform.triggerExecution().executeUnprotected(workspace, app);
        Replies.answer(response, 202, Map.of("execution", execution));
    }

    private void charge(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        IdempotentRequest idempotent = IdempotentRequest.of(request);
        long left = idempotent.resultOf(platform.chargePayment()
                .execute(
                        idempotent.attempt(),
                        inputs.get(Parameter.WORKSPACE),
                        inputs.get(Parameter.TRANSACTION),
                        inputs.get(Parameter.AMOUNT)));
        Replies.answer(response, 201, Map.of("left", left));
    }

    private void app(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        UUID id = Parameter.uuid(name(request)).orElseThrow(() -> Refusals.malformed("The app has to be a UUID."));
        AppCache.App app = platform.cache()
                .get(id, inputs.get(Parameter.MIN_VERSION))
                .filter(found -> found.workspace() == inputs.get(Parameter.WORKSPACE))
                .orElseThrow(() -> Refusal.missing("app"));
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

    private void search(Inputs inputs, HttpServletRequest request, HttpServletResponse response) throws IOException {
        List<UUID> found = platform.search().find(inputs.get(Parameter.WORKSPACE), inputs.get(Parameter.WORDS), 100);
        Replies.answer(response, 200, Map.of("apps", found));
    }

    private void usage(Inputs inputs, HttpServletRequest request, HttpServletResponse response) throws IOException {
        long executions = platform.database()
                .jdbi()
                .withHandle(handle -> UsageStatistics.of(handle, inputs.get(Parameter.WORKSPACE)));
        Replies.answer(response, 200, Map.of("executions", executions));
    }

    private List<Map<String, Object>> lags() {
        return platform.lags().stream()
                .map(lag -> {
                    Map<String, Object> row = new LinkedHashMap<>();
                    row.put("part", lag.bound().part());
                    row.put("boundMillis", lag.bound().lag().toMillis());
                    row.put("events", lag.events());
                    row.put("worstMillis", lag.worst().toMillis());
                    row.put("holds", lag.holds());
                    return row;
                })
                .toList();
    }

    private void check(Inputs inputs, HttpServletRequest request, HttpServletResponse response) throws IOException {
        CheckReport report = platform.check();
        Replies.json(response, 200, report.json());
    }

    private void repair(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        if (platform.checks().named(name(request)).isEmpty()) {
            throw Refusal.missing("check");
        }
        List<RepairReport> reports = platform.upkeep().repair(name(request), inputs.get(Parameter.DRY_RUN));
        Replies.json(
                response, 200, reports.stream().map(RepairReport::json).toList().toString());
    }

    /** What follows the route in the path. */
    private static String name(HttpServletRequest request) {
        return request.getPathInfo() == null ? "" : request.getPathInfo().substring(1);
    }

    private static Optional<String> scope(HttpServletRequest request) {
        try {
            return Optional.of("workspace:" + Inputs.header(request, Parameter.WORKSPACE));
        } catch (Refusal nobody) {
            return Optional.empty();
        }
    }

    /** Answers what is under way, for up to ten seconds, and refuses the rest. */
    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            log.accept("Jetty did not stop in good order: " + e);
        }
    }
}
