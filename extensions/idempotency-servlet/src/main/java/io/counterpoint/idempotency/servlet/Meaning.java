package io.counterpoint.idempotency.servlet;

/** What a handler's status means for its effect. The declaration is not verified. */
public enum Meaning {

    /** The effect exists: the response is stored and replayed. Every status below 400, unless set otherwise. */
    EFFECT,

    /**
     * There is no effect and never will be: the key is released and can be used again. Every 4xx, unless set otherwise.
     */
    NO_EFFECT,

    /**
     * The effect is unknown. The response is not stored, and the handler does not run again: retries get {@code
     * request-outstanding} until the lookup or an operator resolves the key. Every 5xx, unless set otherwise, and every
     * exception.
     */
    UNKNOWN
}
