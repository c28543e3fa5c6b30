package io.counterpoint.idempotency.servlet;

/** What a handler's status means for its effect. This is not verified, so the handler must be truthful. */
public enum Meaning {

    /** The effect exists: the response is stored and replayed. The default for statuses below 400. */
    EFFECT,

    /** There is and will be no effect: the key is released and can be used again. The default for 4xx. */
    NO_EFFECT,

    /**
     * The effect is unknown. The response is not stored and the handler does not run again: requests with the key get
     * {@code request-outstanding} until the lookup or an operator resolves it. The default for 5xx, and always the case
     * for exceptions.
     */
    UNKNOWN
}
