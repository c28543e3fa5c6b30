package io.counterpoint.idempotency.explorer;

/** What a caller at a gate is about to do. */
interface Request {

    /** Whether nobody else can see it, or be seen by it, so that it need not be tried in every order. */
    default boolean isLocal() {
        return false;
    }

    /** Adds everything that can become of it now; nothing while it has to wait. */
    void offer(ExplorerOptions options);
}
