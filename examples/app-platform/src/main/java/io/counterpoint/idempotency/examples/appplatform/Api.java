package io.counterpoint.idempotency.examples.appplatform;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.consistency.CommitUnknownException;
import io.counterpoint.idempotency.consistency.ConflictException;
import io.counterpoint.idempotency.consistency.check.CheckReport;
import io.counterpoint.idempotency.consistency.check.RepairReport;
import io.counterpoint.idempotency.consistency.transition.Transition;
import io.counterpoint.idempotency.servlet.IdempotencyFilter;
import io.counterpoint.idempotency.servlet.IdempotentRequest;
import io.counterpoint.idempotency.servlet.RoutePolicy;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
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
 * The service over HTTP. Whoever sends the header {@code Workspace} is believed to belong to it; a real service takes it
 * from whom it has authenticated.
 */
final class Api implements AutoCloseable {

    /** All operations, in the order of the document. */
    static final List<Policy> POLICIES = List.of(
            CreateApp.POLICY,
            PublishApp.POLICY,
            ProvisionDatabase.POLICY,
            TriggerExecution.POLICY,
            ChargePayment.POLICY);

    private static final String ANY = "*";
    private static final long LONGEST_BODY = 64 * 1024;
    private static final long IDLE_MILLIS = 200;
    private static final int STOP_MILLIS = 10_000;

    private final Platform platform;
    private final Consumer<String> log;
    private final ObjectMapper mapper = new ObjectMapper();
    private final Server server;
    private final ServerConnector connector;

    /** What a path does. */
    private interface Handler {
        void handle(HttpServletRequest request, HttpServletResponse response) throws IOException, Refusal;
    }

    /** Listens on a port of this machine; 0 for any. */
    Api(Platform platform, int port, Consumer<String> log) throws CannotRun {
        this.platform = platform;
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
                policy -> filter.route(policy.path(), policy.key().route().maxRequestBody(LONGEST_BODY)));
        ServletContextHandler context = new ServletContextHandler();
        context.addFilter(new FilterHolder(filter.build()), "/*", EnumSet.of(DispatcherType.REQUEST));
        on(context, "POST", CreateApp.POLICY.path(), this::createApp);
        on(context, "POST", PublishApp.POLICY.path(), this::publishApp);
        on(context, "POST", ProvisionDatabase.POLICY.path(), this::provisionDatabase);
        on(context, "POST", TriggerExecution.POLICY.path(), this::triggerExecution);
        on(context, "POST", ChargePayment.POLICY.path(), this::charge);
        on(context, "GET", "/apps/*", this::app);
        on(context, "GET", "/search", this::search);
        on(context, "GET", "/usage", this::usage);
        on(context, "GET", "/lags", (request, response) -> answer(response, 200, lags()));
        on(context, "GET", "/checks", this::check);
        on(context, "POST", "/repairs/*", this::repair);
        on(context, ANY, "/", (request, response) -> {
            throw Refusal.missing("page");
        });
        return context;
    }

    private void on(ServletContextHandler context, String method, String path, Handler handler) {
        context.addServlet(
                new ServletHolder(new HttpServlet() {
                    private static final long serialVersionUID = 1L;

                    @Override
                    protected void service(HttpServletRequest request, HttpServletResponse response)
                            throws IOException {
                        if (!method.equals(ANY) && !request.getMethod().equals(method)) {
                            response.setHeader("Allow", method);
                            problem(response, 405, "method-not-allowed", "Here is " + method + " only.");
                            return;
                        }
                        answering(request, response, handler);
                    }
                }),
                path);
    }

    /** What the library throws is for its filter to answer. */
    private void answering(HttpServletRequest request, HttpServletResponse response, Handler handler)
            throws IOException {
        try {
            handler.handle(request, response);
        } catch (Refusal refusal) {
            if (refusal.status() == 409) {
                response.setHeader("Retry-After", "1");
            }
            problem(response, refusal.status(), refusal.code(), String.valueOf(refusal.getMessage()));
        } catch (ConflictException | CommitUnknownException unsure) {
            response.setHeader("Retry-After", "1");
            problem(response, 503, "try-again", "The database was too busy. Ask again.");
        } catch (IdempotencyException told) {
            throw told;
        } catch (RuntimeException fault) {
            log.accept(request.getMethod() + " " + request.getServletPath() + ": " + fault);
            problem(response, 500, "fault", "This is a fault of the service. Ask again.");
        }
    }

    private void createApp(HttpServletRequest request, HttpServletResponse response) throws IOException, Refusal {
        long workspace = workspace(request);
        String name = text(body(request), "name");
        IdempotentRequest idempotent = IdempotentRequest.of(request);
        UUID app = idempotent.resultOf(platform.createApp().execute(idempotent.attempt(), workspace, name));
        answer(response, 201, Map.of("app", app));
    }

    private void publishApp(HttpServletRequest request, HttpServletResponse response) throws IOException, Refusal {
        moved(response, platform.publishApp().execute(workspace(request), app(body(request))));
    }

    private void provisionDatabase(HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        moved(response, platform.provisionDatabase().execute(workspace(request), app(body(request))));
    }

    /** Whoever comes second learns that it is done, or that somebody is at it. */
    private void moved(HttpServletResponse response, Transition<?> transition) throws IOException, Refusal {
        Optional<Map<String, Object>> there = transition.fold(
                moved -> Optional.of(Map.of("status", moved.to(), "by", "this request")),
                already -> Optional.of(Map.of("status", already.state(), "by", "an earlier request")),
                refused -> Optional.empty(),
                missing -> Optional.empty());
        answer(
                response,
                200,
                there.orElseThrow(() -> Refusal.elsewhere("Another request is at it: " + transition + ".")));
    }

    private void triggerExecution(HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        long workspace = workspace(request);
        UUID app = app(body(request));
        Optional<IdempotentRequest> idempotent = IdempotentRequest.find(request);
        UUID execution = idempotent.isPresent()
                ? idempotent
                        .get()
                        .resultOf(platform.triggerExecution()
                                .execute(idempotent.get().attempt(), workspace, app))
                : platform.triggerExecution().executeUnprotected(workspace, app);
        answer(response, 202, Map.of("execution", execution));
    }

    private void charge(HttpServletRequest request, HttpServletResponse response) throws IOException, Refusal {
        long workspace = workspace(request);
        JsonNode amount = body(request).path("amount");
        if (!amount.isIntegralNumber() || !amount.canConvertToLong() || amount.longValue() < 1) {
            throw Refusal.malformed("amount has to be a positive integer.");
        }
        IdempotentRequest idempotent = IdempotentRequest.of(request);
        String transaction = Optional.ofNullable(request.getHeader(IdempotencyFilter.KEY))
                .orElseGet(() -> request.getHeader("Transaction-Id"));
        long left = idempotent.resultOf(
                platform.chargePayment().execute(idempotent.attempt(), workspace, transaction, amount.longValue()));
        answer(response, 201, Map.of("left", left));
    }

    private void app(HttpServletRequest request, HttpServletResponse response) throws IOException, Refusal {
        long workspace = workspace(request);
        UUID id = uuid(String.valueOf(request.getPathInfo()).substring(1), "app");
        long atLeast =
                number(Optional.ofNullable(request.getHeader("Min-Version")).orElse("0"), "Min-Version");
        AppCache.App app = platform.cache()
                .get(id, atLeast)
                .filter(found -> found.workspace() == workspace)
                .orElseThrow(() -> Refusal.missing("app"));
        answer(
                response,
                200,
                Map.of(
                        "app", app.id(),
                        "name", app.name(),
                        "status", app.status(),
                        "database", app.databaseStatus(),
                        "version", app.version()));
    }

    private void search(HttpServletRequest request, HttpServletResponse response) throws IOException, Refusal {
        String part = Optional.ofNullable(request.getParameter("q")).orElse("");
        long workspace = workspace(request);
        List<UUID> found =
                platform.database().jdbi().withHandle(handle -> SearchIndex.find(handle, workspace, part, 100));
        answer(response, 200, Map.of("apps", found));
    }

    private void usage(HttpServletRequest request, HttpServletResponse response) throws IOException, Refusal {
        long workspace = workspace(request);
        long executions = platform.database().jdbi().withHandle(handle -> UsageStatistics.of(handle, workspace));
        answer(response, 200, Map.of("executions", executions));
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

    private void check(HttpServletRequest request, HttpServletResponse response) throws IOException {
        CheckReport report = platform.checks().checks().run(platform.transactions());
        send(response, 200, "application/json", report.json());
    }

    private void repair(HttpServletRequest request, HttpServletResponse response) throws IOException, Refusal {
        String name = String.valueOf(request.getPathInfo()).substring(1);
        List<RepairReport> reports = platform.repair(name, "true".equals(request.getParameter("dryRun")));
        if (reports.isEmpty()) {
            throw Refusal.missing("check");
        }
        send(
                response,
                200,
                "application/json",
                reports.stream().map(RepairReport::json).toList().toString());
    }

    private static Optional<String> scope(HttpServletRequest request) {
        try {
            return Optional.of("workspace:" + workspace(request));
        } catch (Refusal nobody) {
            return Optional.empty();
        }
    }

    private static long workspace(HttpServletRequest request) throws Refusal {
        String header = request.getHeader("Workspace");
        if (header == null || !header.matches("[0-9]{1,18}")) {
            throw Refusal.nobody();
        }
        return Long.parseLong(header);
    }

    private JsonNode body(HttpServletRequest request) throws IOException, Refusal {
        byte[] body = request.getInputStream().readNBytes((int) LONGEST_BODY + 1);
        if (body.length > LONGEST_BODY) {
            throw Refusal.malformed("The body has to be at most " + LONGEST_BODY + " bytes.");
        }
        try {
            return mapper.readTree(body);
        } catch (JsonProcessingException e) {
            throw Refusal.malformed("The body has to be JSON.");
        }
    }

    private static String text(JsonNode body, String field) throws Refusal {
        String text = body.path(field).textValue();
        if (text == null || text.isBlank() || text.length() > 100) {
            throw Refusal.malformed(field + " has to be a text of 1 to 100 characters.");
        }
        return text;
    }

    private static UUID app(JsonNode body) throws Refusal {
        return uuid(text(body, "app"), "app");
    }

    private static UUID uuid(String text, String what) throws Refusal {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw Refusal.malformed(what + " has to be a UUID.");
        }
    }

    private static long number(String text, String what) throws Refusal {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw Refusal.malformed(what + " has to be a number.");
        }
    }

    private void answer(HttpServletResponse response, int status, Object content) throws IOException {
        send(response, status, "application/json", mapper.writeValueAsString(content));
    }

    private void problem(HttpServletResponse response, int status, String code, String detail) throws IOException {
        Map<String, Object> problem = new LinkedHashMap<>();
        problem.put("title", code);
        problem.put("status", status);
        problem.put("detail", detail);
        send(response, status, "application/problem+json", mapper.writeValueAsString(problem));
    }

    private static void send(HttpServletResponse response, int status, String type, String json) throws IOException {
        response.setStatus(status);
        response.setContentType(type);
        response.setCharacterEncoding("UTF-8");
        response.getWriter().write(json);
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
