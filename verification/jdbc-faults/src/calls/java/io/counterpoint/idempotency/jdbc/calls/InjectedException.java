package io.counterpoint.idempotency.jdbc.calls;

/** A mistake in a driver. */
final class InjectedException extends RuntimeException {
    InjectedException() {
        super("injected");
    }
}
