package io.counterpoint.idempotency.testing;

/** What a {@link CuttingProxy} does to the connection on which a statement is seen that a test waits for. */
public enum Cut {
    /** The statement does not reach the server, and both sides of the connection are closed. */
    BEFORE_SEND,

    /**
     * The statement reaches the server with all that was sent with it. The client's connection is reset without a wait
     * for an answer: a server that is held up executes it later.
     */
    AFTER_SEND,

    /**
     * The server executes the statement and all that was sent with it, but the client never sees the answer: its
     * connection is reset. What the server refuses counts as an answer too.
     */
    AFTER_ANSWER,

    /**
     * The statement stays in the proxy and the connection stays open and silent until {@link CuttingProxy#heal()}; then
     * it reaches the server after all, even if the client has given up since.
     */
    HOLD,

    /**
     * The client's connection is reset at once. The statement stays in the proxy until it is healed, and then reaches the
     * server after all.
     */
    LATE
}
