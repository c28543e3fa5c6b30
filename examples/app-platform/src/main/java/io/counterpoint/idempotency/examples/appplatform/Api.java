package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.http.LocalServer;
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
import io.counterpoint.idempotency.spi.Fault;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;

/**
 * The service over HTTP. It trusts the header {@code Workspace} to name the client's workspace. A real service derives
 * the workspace from the authenticated client.
 */
final class Api implements AutoCloseable {

    /** All operations, in the order of the README. */
    static final List<Policy> POLICIES = List.of(
            CreateApp.POLICY,
            PublishApp.POLICY,
            ProvisionDatabase.POLICY,
            TriggerExecution.POLICY,
            ChargePayment.POLICY);

    private static final Duration TIME_TO_STOP = Duration.ofSeconds(10);

    private final Platform platform;
    private final Operator operator;
    private final Consumer<String> log;
    private final LocalServer server;

    /** Listens on a port of this machine; 0 for any free port. */
    Api(Platform platform, int port, Operator operator, Consumer<String> log) throws CannotRun {
        this.platform = platform;
        this.operator = operator;
        this.log = log;
        server = new LocalServer(port, log).endsGracefully(TIME_TO_STOP).start(paths());
    }

    String url() {
        return server.url();
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
        Routes routes = new Routes(operator, this::isAway, log);
        new AppRoutes(platform).addTo(routes);
        new OperatorRoutes(platform).addTo(routes);
        new MigrationRoutes(platform).addTo(routes);
        routes.serve(context);
        return context;
    }

    private boolean isAway(Throwable thrown) {
        return platform.database.store().classify(thrown) == Fault.CONNECTION_LOST;
    }

    private static Optional<String> scope(HttpServletRequest request) {
        try {
            return Optional.of("workspace:" + Inputs.header(request, Parameter.WORKSPACE));
        } catch (Refusal nobody) {
            return Optional.empty();
        }
    }

    /** Completes requests in flight, for up to ten seconds, and rejects new ones. */
    @Override
    public void close() {
        server.close();
    }
}
