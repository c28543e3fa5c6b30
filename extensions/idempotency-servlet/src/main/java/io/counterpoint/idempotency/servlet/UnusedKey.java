package io.counterpoint.idempotency.servlet;

/**
 * What the filter does if a handler succeeds, with a status below 400, without using its request's attempt.
 * The key of such a request protects nothing: each retry runs the handler again.
 */
public enum UnusedKey {

    /** Nothing. */
    IGNORE,

    /** Logs a warning, once for each route, and there once for each mapping of a servlet or of Spring MVC. */
    WARN,

    /**
     * Fails the request: what the handler writes is refused with an {@link UnusedKeyException}, which makes it a 500. What
     * the handler did before stays done. So this finds such handlers in tests, and does not undo their effects. A response
     * without a body that the handler has committed itself is warned of.
     */
    FAIL
}
