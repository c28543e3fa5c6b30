package io.counterpoint.idempotency.inbox;

/** Rolls back the work of a message while one before it, with its order key, has no certain fate. */
final class HeldUpException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    HeldUpException() {
        super("A message before this one, in its order, is postponed.", null, false, false);
    }
}
