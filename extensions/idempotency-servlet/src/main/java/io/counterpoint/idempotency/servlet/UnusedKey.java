package io.counterpoint.idempotency.servlet;

/**
 * What the filter does if a handler succeeds, with a status below 400, without using its request's attempt.
 * The key of such a request protects nothing: each retry runs the handler again.
 */
public enum UnusedKey {

    /** Does nothing. */
    IGNORE,

    /** Logs a warning, once per route and per servlet or Spring MVC mapping on it. */
    WARN,

    /**
     * Fails the request: the handler's output is rejected with an {@link UnusedKeyException}, which results in a 500.
     * What the handler did before is not undone, so this is meant for finding such handlers in tests. For a response
     * without a body that the handler itself has committed, a warning is logged instead.
     */
    FAIL
}
