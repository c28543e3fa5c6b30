package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.servlet.IdempotencyFilter;
import io.counterpoint.idempotency.servlet.IdempotentRequest;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Provides the attempt of the HTTP request that this thread serves. */
final class HttpAttempts {

    private HttpAttempts() {}

    static Attempt current() {
        return request().attempt();
    }

    /** Returns the result, and marks the response if it is a replay. */
    static Object resultOf(Outcome<Object> outcome) {
        return request().resultOf(outcome);
    }

    private static IdempotentRequest request() {
        if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes) {
            HttpServletRequest request = attributes.getRequest();
            return IdempotentRequest.find(request)
                    .orElseThrow(() -> new MissingKeyException(request.getHeader(IdempotencyFilter.KEY) != null));
        }
        throw new IllegalStateException(
                "#attempt belongs to an HTTP request, but this thread serves none: call the method from a handler, or"
                        + " give it a key of its own.");
    }
}
