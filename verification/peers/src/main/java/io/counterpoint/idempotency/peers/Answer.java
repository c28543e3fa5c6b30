package io.counterpoint.idempotency.peers;

/**
 * What a client learns of one call.
 *
 * @param text the payment's number for {@link Kind#BOOKED}; otherwise why, for a person
 */
record Answer(Kind kind, String text) {

    enum Kind {
        /** The payment is booked, and this is its number. */
        BOOKED,
        /** The key is known, so the payment is booked or will be; the client does not learn its number. */
        KNOWN,
        /** The library says that it did nothing. */
        REFUSED,
        /** An exception: the client cannot know whether the payment is booked, and asks again. */
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

    /** Whether the client believes that the payment is booked, and asks no more. */
    boolean isSuccess() {
        return kind == Kind.BOOKED || kind == Kind.KNOWN;
    }
}
