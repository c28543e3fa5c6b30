package io.counterpoint.idempotency.client;

/**
 * Thrown if a call with this identifier was started with a different request. Nothing was sent, and nothing has
 * changed.
 */
public final class CallMismatchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CallMismatchException(String callId) {
        super("The call \"" + callId + "\" was started with a different request, and nothing was sent. Send the"
                + " original request, or use another identifier for the new call.");
    }
}
