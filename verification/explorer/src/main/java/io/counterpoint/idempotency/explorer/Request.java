package io.counterpoint.idempotency.explorer;

/** What a caller at a gate is about to do. */
interface Request {

    /** Whether it is independent of all other callers, so that it need not be tried in every order. */
    default boolean isLocal() {
        return false;
    }

    /** Adds everything that can happen to it now; nothing while it has to wait. */
    void offer(ExplorerOptions options);
}
