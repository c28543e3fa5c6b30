package io.counterpoint.idempotency.client;

/** There is a call of this identifier with another request. Nothing was sent, and nothing has changed. */
public final class CallMismatchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CallMismatchException(String callId) {
        super("The call \"" + callId + "\" was begun with another request, and a call has one request. Send the request"
                + " that it was begun with, or give another call another identifier.");
    }
}
