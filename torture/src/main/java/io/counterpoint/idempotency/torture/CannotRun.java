package io.counterpoint.idempotency.torture;

/** The program cannot do what it was asked to; the message tells the user why. */
final class CannotRun extends Exception {
    private static final long serialVersionUID = 1L;

    CannotRun(String message) {
        super(message);
    }
}
