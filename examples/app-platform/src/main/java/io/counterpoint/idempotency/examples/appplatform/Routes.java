package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.consistency.CommitUnknownException;
import io.counterpoint.idempotency.consistency.ConflictException;
import io.counterpoint.idempotency.examples.appplatform.http.Refusals;
import io.counterpoint.idempotency.examples.appplatform.http.Replies;
import io.counterpoint.idempotency.examples.appplatform.usecase.Policy;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;

/** The routes of the service, by path and method: who may use each, its parameters, and its handler. */
final class Routes {

    /** Handles a request whose inputs have been validated. */
    interface Handler {
        /** Returns the body of the response. */
        Object handle(Inputs inputs) throws IOException, Refusal;
    }

    private record Route(
            String method, int status, Optional<Operator> operator, List<Parameter<?>> takes, Handler handler) {}

    private final Map<String, List<Route>> byPath = new LinkedHashMap<>();
    private final Operator operator;
    private final Predicate<Throwable> isAway;
    private final Consumer<String> log;

    /**
     * Creates an empty set of routes.
     *
     * @param isAway whether an exception means that the database is unavailable
     */
    Routes(Operator operator, Predicate<Throwable> isAway, Consumer<String> log) {
        this.operator = operator;
        this.isAway = isAway;
        this.log = log;
    }

    Routes post(Policy policy, int status, Handler handler, Parameter<?>... takes) {
        return on(policy.path(), new Route("POST", status, Optional.empty(), List.of(takes), handler));
    }

    Routes get(Read read, Handler handler, Parameter<?>... takes) {
        return get(read.path(), handler, takes);
    }

    Routes get(String path, Handler handler, Parameter<?>... takes) {
        return on(path, new Route("GET", 200, Optional.empty(), List.of(takes), handler));
    }

    /** Adds a route for operators only. */
    Routes operator(String method, String path, Handler handler, Parameter<?>... takes) {
        return on(path, new Route(method, 200, Optional.of(operator), List.of(takes), handler));
    }

    private Routes on(String path, Route route) {
        byPath.computeIfAbsent(path, unused -> new ArrayList<>()).add(route);
        return this;
    }

    /** Serves the routes; any other path is a 404. */
    void serve(ServletContextHandler context) {
        byPath.forEach((path, routes) -> context.addServlet(new ServletHolder(new Endpoint(routes)), path));
        context.addServlet(new ServletHolder(new Endpoint(List.of())), "/");
    }

    private final class Endpoint extends HttpServlet {
        private static final long serialVersionUID = 1L;

        private final transient List<Route> routes;

        Endpoint(List<Route> routes) {
            this.routes = routes;
        }

        /** Leaves the library's exceptions to its filter. */
        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            try {
                answer(request, response);
            } catch (Refusal refusal) {
                if (isAway.test(refusal)) {
                    away(response);
                } else {
                    Replies.refusal(response, refusal);
                }
            } catch (IdempotencyException exception) {
                throw exception;
            } catch (ConflictException | CommitUnknownException unsure) {
                Replies.refusal(response, Refusals.pause("The database is too busy. Retry."));
            } catch (RuntimeException fault) {
                if (isAway.test(fault)) {
                    away(response);
                    return;
                }
                log.accept(request.getMethod() + " " + request.getServletPath() + ": " + fault);
                Replies.problem(response, 500, "fault", "The service failed. Retry.");
            }
        }

        private void answer(HttpServletRequest request, HttpServletResponse response) throws IOException, Refusal {
            if (routes.isEmpty()) {
                throw Refusals.missingPage();
            }
            for (Route route : routes) {
                if (route.method().equals(request.getMethod())) {
                    if (route.operator().isPresent()) {
                        route.operator().get().require(request);
                    }
                    if (route.method().equals("POST")) {
                        Read.marksSession(response);
                    }
                    Replies.answer(response, route.status(), route.handler().handle(Inputs.of(request, route.takes())));
                    return;
                }
            }
            String methods = routes.stream().map(Route::method).collect(Collectors.joining(", "));
            response.setHeader("Allow", methods);
            Replies.problem(response, 405, "method-not-allowed", "Here is " + methods + " only.");
        }

        private void away(HttpServletResponse response) throws IOException {
            Replies.refusal(response, Refusals.pause("The database is unavailable. Retry."));
        }
    }
}
