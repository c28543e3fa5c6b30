package io.counterpoint.idempotency.trial;

/** A simulated bug in a driver. */
final class InjectedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InjectedException() {
        super("injected");
    }
}
