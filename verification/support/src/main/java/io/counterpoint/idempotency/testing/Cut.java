package io.counterpoint.idempotency.testing;

/** What a {@link CuttingProxy} does to the connection of a statement that a test has specified. */
public enum Cut {
    /** The statement does not reach the server, and both sides of the connection are closed. */
    BEFORE_SEND,

    /**
     * The statement reaches the server with everything that was sent with it. The client's connection is reset without
     * waiting for a reply; a server that is blocked executes the statement later.
     */
    AFTER_SEND,

    /**
     * The server executes the statement and everything that was sent with it, but the client's connection is reset
     * before it sees the reply. An error is a reply, too.
     */
    AFTER_ANSWER,

    /**
     * The statement stays in the proxy, and the connection stays open and silent, until {@link CuttingProxy#heal()}.
     * Then the statement reaches the server, even if the client has given up meanwhile.
     */
    HOLD,

    /**
     * The client's connection is reset at once. The statement stays in the proxy until it is healed, and then reaches
     * the server after all.
     */
    LATE
}
