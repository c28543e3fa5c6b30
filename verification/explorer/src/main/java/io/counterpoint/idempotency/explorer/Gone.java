package io.counterpoint.idempotency.explorer;

/** Ends a call silently, because its process has died or its schedule is over. */
final class Gone extends Error {
    private static final long serialVersionUID = 1L;

    Gone() {
        super("gone", null, false, false);
    }
}
