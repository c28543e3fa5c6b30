package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.annotation.UnknownCallerException;
import io.counterpoint.idempotency.servlet.IdempotentRequest;
import io.counterpoint.idempotency.servlet.ScopeResolver;
import jakarta.enterprise.context.ContextNotActiveException;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;

/** Provides the attempt of the HTTP request that this thread serves. Created if an expression uses it. */
@Dependent
class HttpAttempts {

    private static final String UNSERVED = "the filter has not seen its request.";

    private final Instance<HttpServletRequest> requests;
    private final Instance<CurrentRequest> current;

    @Inject
    HttpAttempts(Instance<HttpServletRequest> requests, Instance<CurrentRequest> current) {
        this.requests = requests;
        this.current = current;
    }

    /** Whether the container serves servlet or JAX-RS requests. */
    boolean isServing() {
        return requests.isResolvable() || Settings.hasResources();
    }

    /** The request that this thread serves, if it has passed the filter. */
    Optional<HttpServletRequest> find() {
        try {
            return Optional.of(served());
        } catch (ContextNotActiveException | IllegalStateException unserved) {
            return Optional.empty();
        }
    }

    /** The caller authenticated by the container; unknown on a thread that serves no request. */
    Optional<String> caller() {
        HttpServletRequest request;
        try {
            request = served();
        } catch (ContextNotActiveException elsewhere) {
            throw new UnknownCallerException(
                    "The caller is the principal of a request, but this thread serves none. Set the scope in"
                            + " @Idempotent, or define a bean of type CallerScope.");
        } catch (IllegalStateException unserved) {
            throw new UnknownCallerException("The caller is the principal of a request, but " + UNSERVED + " "
                    + RequiredRoutes.IN_QUARKUS + ", define a bean of type CallerScope, or set the scope in"
                    + " @Idempotent.");
        }
        return ScopeResolver.principal().scopeOf(request);
    }

    Attempt current(IdempotentMethod method) {
        return request(method).attempt();
    }

    /** Returns the result, and marks the response if it is a replay. */
    Object resultOf(IdempotentMethod method, Outcome<Object> outcome) {
        return request(method).resultOf(outcome);
    }

    private IdempotentRequest request(IdempotentMethod method) {
        HttpServletRequest request;
        try {
            request = served();
        } catch (ContextNotActiveException elsewhere) {
            throw method.refusal(
                    "#attempt belongs to an HTTP request, but this thread serves none.",
                    "Call it on the thread of the request, or give the method a key of its own.");
        } catch (IllegalStateException unserved) {
            throw method.refusal(
                    "#attempt belongs to an HTTP request, but " + UNSERVED,
                    RequiredRoutes.IN_QUARKUS + ", or give the method a key of its own.");
        }
        return IdempotentRequest.of(request);
    }

    /** Some containers inject a proxy that throws when it is used. */
    private HttpServletRequest served() {
        if (current.isResolvable()) {
            Optional<HttpServletRequest> ofResource = current.get().find();
            if (ofResource.isPresent()) {
                return ofResource.get();
            }
        }
        if (!requests.isResolvable()) {
            throw new IllegalStateException(UNSERVED);
        }
        HttpServletRequest request = requests.get();
        DispatcherType unused = request.getDispatcherType();
        return request;
    }
}
