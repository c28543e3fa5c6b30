package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.servlet.IdempotentRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The attempt of the HTTP request that this thread serves. */
final class HttpAttempts {

    private HttpAttempts() {}

    static Attempt current() {
        return request().attempt();
    }

    /** The result, which is marked in the response where it is replayed. */
    static Object resultOf(Outcome<Object> outcome) {
        return request().resultOf(outcome);
    }

    private static IdempotentRequest request() {
        if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes) {
            return IdempotentRequest.of(attributes.getRequest());
        }
        throw new IllegalStateException(
                "#attempt is that of an HTTP request, and this thread serves none: call the method"
                        + " from a handler, or give it a key of its own.");
    }
}
