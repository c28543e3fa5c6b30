package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.servlet.IdempotentRequest;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.servlet.http.HttpServletRequest;

/** The attempt of the HTTP request that this thread serves. Its classes are loaded where an expression names it. */
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
        return IdempotentRequest.of(
                CDI.current().select(HttpServletRequest.class).get());
    }
}
