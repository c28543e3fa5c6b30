package io.counterpoint.idempotency.servlet;

/**
 * What the filter does if a handler succeeds, with a status below 400, without using its request's attempt.
 * The key of such a request protects nothing: each retry runs the handler again.
 */
public enum UnusedKey {

    /** Nothing. */
    IGNORE,

    /** Logs a warning, once per route and per servlet or Spring MVC mapping. */
    WARN,

    /**
     * Fails the request: the handler's output is rejected with an {@link UnusedKeyException}, which results in a 500.
     * It does not undo what the handler did, so use it to find such handlers in tests. For a response without a body
     * that the handler has committed itself, it only logs a warning.
     */
    FAIL
}
