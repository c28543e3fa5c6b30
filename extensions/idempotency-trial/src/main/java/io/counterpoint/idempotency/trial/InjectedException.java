package io.counterpoint.idempotency.trial;

/** A mistake in a driver. */
final class InjectedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InjectedException() {
        super("injected");
    }
}
