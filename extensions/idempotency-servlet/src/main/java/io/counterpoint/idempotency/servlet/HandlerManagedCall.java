package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.IdempotencyException;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;

/** Handles a request on a handler-managed route, where the handler executes its own operation. */
final class HandlerManagedCall {

    private HandlerManagedCall() {}

    /** Exceptions of the core that the handler does not catch become problems; any others are the handler's own. */
    static void pass(
            IdempotentRequest known, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        try {
            chain.doFilter(request, response);
        } catch (IOException | ServletException | RuntimeException thrown) {
            Optional<IdempotencyException> exception = inCausesOf(thrown);
            if (exception.isEmpty() || response.isCommitted()) {
                known.markThrown();
                throw thrown;
            }
            known.answer(exception.get());
        }
    }

    private static Optional<IdempotencyException> inCausesOf(Throwable thrown) {
        Throwable cause = thrown;
        for (int depth = 0; cause != null && depth < 32; depth++, cause = cause.getCause()) {
            if (cause instanceof IdempotencyException exception) {
                return Optional.of(exception);
            }
        }
        return Optional.empty();
    }
}
