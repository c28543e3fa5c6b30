package io.counterpoint.idempotency.inbox;

/** Rolls back the work of a message while one before it, with its order key, has no certain fate. */
final class HeldUpException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    HeldUpException() {
        super("An earlier message of the same order key is postponed.", null, false, false);
    }
}
