package io.counterpoint.idempotency.inbox;

/** Rolls back the work of a message while the fate of an earlier one with the same order key is uncertain. */
final class HeldUpException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    HeldUpException() {
        super("An earlier message of the same order key is postponed.", null, false, false);
    }
}
