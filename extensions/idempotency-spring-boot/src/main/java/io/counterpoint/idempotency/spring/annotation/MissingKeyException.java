package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.annotation.Idempotent;

/**
 * Thrown when an {@link Idempotent} method takes its key from the HTTP request but the request has none, or one that
 * the filter has not read. Nothing was claimed, and the method did not run.
 */
public final class MissingKeyException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** Whether the client has sent a key. */
    private final boolean sent;

    MissingKeyException(boolean sent) {
        super(
                sent
                        ? "#attempt needs the key of the request, but the filter has not read it: the route is off, does"
                                + " not cover the method (only POST and PATCH, unless set with RoutePolicy.methods), or"
                                + " mode=count lets invalid keys pass. Nothing was claimed, and the method did not run."
                        : "The request has no Idempotency-Key header, but #attempt needs the key from it. To refuse"
                                + " such requests earlier, set idempotency.http.required.");
        this.sent = sent;
    }

    /**
     * Returns whether the client has sent a key.
     *
     * @return true if the service, not the client, has to be corrected
     */
    public boolean wasSent() {
        return sent;
    }
}
