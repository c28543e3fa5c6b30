package io.counterpoint.idempotency.peers;

/**
 * A client's result of one call.
 *
 * @param text the payment's number for {@link Kind#BOOKED}; otherwise the reason, for people
 */
record Answer(Kind kind, String text) {

    enum Kind {
        /** The payment is booked, and this is its number. */
        BOOKED,
        /** The key is known, so the payment is or will be booked, but the client does not get its number. */
        KNOWN,
        /** The library reports that it did nothing. */
        REFUSED,
        /** An exception: the client cannot know whether the payment is booked, and retries. */
        FAILED
    }

    static Answer booked(String payment) {
        return new Answer(Kind.BOOKED, payment);
    }

    static Answer known(String why) {
        return new Answer(Kind.KNOWN, why);
    }

    static Answer refused(String why) {
        return new Answer(Kind.REFUSED, why);
    }

    static Answer failed(String why) {
        return new Answer(Kind.FAILED, why);
    }

    /** Whether the client believes that the payment is booked, and stops retrying. */
    boolean isSuccess() {
        return kind == Kind.BOOKED || kind == Kind.KNOWN;
    }
}
