package io.counterpoint.idempotency.explorer;

/** Ends a call whose process has died, or whose schedule is over. Nobody learns of it. */
final class Gone extends Error {
    private static final long serialVersionUID = 1L;

    Gone() {
        super("gone", null, false, false);
    }
}
