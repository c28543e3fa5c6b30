package io.counterpoint.idempotency.mariadb;

/**
 * What came of one call.
 *
 * @param call the name of the call
 * @param text the result; or what else there is to say
 */
record StormAnswer(String call, Kind kind, String text) {

    /** What an answer says. */
    enum Kind {
        RESULT,
        FAILURE,
        /** The work threw, and the key can be used again. */
        RELEASED,
        /** Another call leads, or its leader is gone. */
        IN_PROGRESS,
        /** Retry. */
        UNKNOWN
    }

    /** Whether every later answer has to be the same. */
    boolean isLast() {
        return kind == Kind.RESULT || kind == Kind.FAILURE;
    }
}
