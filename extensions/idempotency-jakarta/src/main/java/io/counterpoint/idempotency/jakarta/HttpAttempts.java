package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.servlet.IdempotentRequest;
import io.counterpoint.idempotency.servlet.ScopeResolver;
import jakarta.enterprise.context.ContextNotActiveException;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;

/** The attempt of the HTTP request that this thread serves. Made where an expression names it. */
@Dependent
class HttpAttempts {

    private final Instance<HttpServletRequest> requests;

    @Inject
    HttpAttempts(Instance<HttpServletRequest> requests) {
        this.requests = requests;
    }

    /** Whether the container has requests of servlets. */
    boolean isServing() {
        return requests.isResolvable();
    }

    /** Whom the servlet container has authenticated. */
    Optional<String> caller() {
        try {
            return ScopeResolver.principal().scopeOf(requests.get());
        } catch (ContextNotActiveException elsewhere) {
            return Optional.empty();
        }
    }

    Attempt current() {
        return request().attempt();
    }

    /** The result, which is marked in the response where it is replayed. */
    Object resultOf(Outcome<Object> outcome) {
        return request().resultOf(outcome);
    }

    private IdempotentRequest request() {
        return IdempotentRequest.of(requests.get());
    }
}
