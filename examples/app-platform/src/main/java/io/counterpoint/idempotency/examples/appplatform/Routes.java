package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.Endpoint.Handler;
import io.counterpoint.idempotency.examples.appplatform.Endpoint.Route;
import io.counterpoint.idempotency.examples.appplatform.usecase.Policy;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;

/** The routes of the service, by path and method. */
final class Routes {

    private final Map<String, List<Route>> byPath = new LinkedHashMap<>();
    private final Operator operator;

    Routes(Operator operator) {
        this.operator = operator;
    }

    Routes post(Policy policy, Handler handler, Parameter<?>... takes) {
        return on(policy.path(), new Route("POST", Optional.empty(), List.of(takes), handler));
    }

    Routes get(String path, Handler handler, Parameter<?>... takes) {
        return on(path, new Route("GET", Optional.empty(), List.of(takes), handler));
    }

    /** A route for operators only. */
    Routes operator(String method, String path, Handler handler, Parameter<?>... takes) {
        return on(path, new Route(method, Optional.of(operator), List.of(takes), handler));
    }

    private Routes on(String path, Route route) {
        byPath.computeIfAbsent(path, unused -> new ArrayList<>()).add(route);
        return this;
    }

    /** What follows the route in the path. */
    static String name(HttpServletRequest request) {
        return request.getPathInfo() == null ? "" : request.getPathInfo().substring(1);
    }

    /** On all other paths there is no page. */
    void serve(ServletContextHandler context, Consumer<String> log) {
        Route none = new Route(Endpoint.ANY, Optional.empty(), List.of(), (inputs, request, response) -> {
            throw Refusals.missingPage();
        });
        byPath.forEach((path, routes) -> context.addServlet(new ServletHolder(new Endpoint(routes, log)), path));
        context.addServlet(new ServletHolder(new Endpoint(List.of(none), log)), "/");
    }
}
