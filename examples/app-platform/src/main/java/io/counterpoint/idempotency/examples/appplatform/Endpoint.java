package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.consistency.CommitUnknownException;
import io.counterpoint.idempotency.consistency.ConflictException;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** One path: for each method who may come, what it takes, what it does. */
final class Endpoint extends HttpServlet {
    private static final long serialVersionUID = 1L;

    static final String ANY = "*";

    private final transient List<Route> routes;
    private final transient Consumer<String> log;

    /** What a route does, once its inputs are what they have to be. */
    interface Handler {
        void handle(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
                throws IOException, Refusal;
    }

    /**
     * A route.
     *
     * @param operator who alone may come; empty for everybody
     * @param takes the parameters; all others are refused
     */
    record Route(String method, Optional<Operator> operator, List<Parameter<?>> takes, Handler handler) {}

    Endpoint(List<Route> routes, Consumer<String> log) {
        this.routes = List.copyOf(routes);
        this.log = log;
    }

    /** What the library throws is for its filter to answer. */
    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Optional<Route> asked = routes.stream()
                .filter(one -> one.method().equals(ANY) || one.method().equals(request.getMethod()))
                .findFirst();
        if (asked.isEmpty()) {
            String methods = routes.stream().map(Route::method).collect(Collectors.joining(", "));
            response.setHeader("Allow", methods);
            Replies.problem(response, 405, "method-not-allowed", "Here is " + methods + " only.");
            return;
        }
        Route route = asked.get();
        try {
            if (route.operator().isPresent()) {
                route.operator().get().require(request);
            }
            // Where there is no page, nothing is asked of what was sent.
            Inputs inputs = route.method().equals(ANY) ? Inputs.none() : Inputs.of(request, route.takes());
            route.handler().handle(inputs, request, response);
        } catch (Refusal refusal) {
            Replies.refusal(response, refusal);
        } catch (ConflictException | CommitUnknownException unsure) {
            response.setHeader("Retry-After", "1");
            Replies.problem(response, 503, "try-again", "The database was too busy. Ask again.");
        } catch (IdempotencyException exception) {
            throw exception;
        } catch (RuntimeException fault) {
            log.accept(request.getMethod() + " " + request.getServletPath() + ": " + fault);
            Replies.problem(response, 500, "fault", "This is a fault of the service. Ask again.");
        }
    }
}
