package io.counterpoint.idempotency.servlet;

/** What a handler's status means for its effect. The declaration is not verified. */
public enum Meaning {

    /** The effect is there: the response is stored and replayed. Every status below 400, unless set otherwise. */
    EFFECT,

    /** There is and will be no effect: the key is released, and can be used again. Every 4xx, unless set otherwise. */
    NO_EFFECT,

    /**
     * The effect is unknown. The response is not stored, and the handler does not run again: the key answers {@code
     * request-outstanding} until the lookup or an operator resolves it. Every 5xx, unless set otherwise, and every
     * exception.
     */
    UNKNOWN
}
