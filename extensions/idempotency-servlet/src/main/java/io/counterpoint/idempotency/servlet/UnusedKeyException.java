package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.internal.Symptom;

/** Thrown when a handler succeeds without using its request's attempt and {@link UnusedKey#FAIL} is set. */
public final class UnusedKeyException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    static final String WHY = Symptom.KEY_UNUSED.of("a request with an " + IdempotencyFilter.KEY + " succeeded, but"
            + " its handler did not use the key. The key protects nothing here: each retry runs the handler again."
            + " Execute an operation with IdempotentRequest.of(request).attempt(), annotate the use case with"
            + " @Idempotent(key = \"#attempt\"), let the filter store responses, or switch the route off.");

    UnusedKeyException() {
        super("Refused to answer: " + WHY);
    }
}
