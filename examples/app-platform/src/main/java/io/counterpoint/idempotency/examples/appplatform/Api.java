package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.usecase.ChargePayment;
import io.counterpoint.idempotency.examples.appplatform.usecase.CreateApp;
import io.counterpoint.idempotency.examples.appplatform.usecase.Policy;
import io.counterpoint.idempotency.examples.appplatform.usecase.ProvisionDatabase;
import io.counterpoint.idempotency.examples.appplatform.usecase.PublishApp;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import io.counterpoint.idempotency.examples.appplatform.usecase.TriggerExecution;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.servlet.IdempotencyFilter;
import io.counterpoint.idempotency.servlet.RoutePolicy;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
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
        Routes routes = new Routes(operator);
        new AppRoutes(platform).addTo(routes);
        new WorkspaceRoutes(platform).addTo(routes);
        new OperatorRoutes(platform).addTo(routes);
        new MigrationRoutes(platform).addTo(routes);
        routes.serve(context, log);
        return context;
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
