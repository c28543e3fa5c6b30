package io.counterpoint.idempotency.torture;

/** A caller's outcome. */
enum Answer {
    EXECUTED("executed"),
    REPLAYED("replayed"),
    HEALED("healed"),
    IN_PROGRESS("in progress"),
    REJECTED("rejected"),
    KEY_REUSED("key reused"),
    /** The work or the database threw an exception: the attempt has failed for good. */
    FAILED("failed"),
    /** The key can be used again, because the work threw an exception or could not begin. */
    RELEASED("released"),
    UNKNOWN("unknown"),
    /** The effect exists, but its follow-up does not, or is not known to. */
    FOLLOW_UP_OWED("follow-up owed"),
    NOT_STARTED("not started"),
    /** An outcome that no caller may get in these modes. */
    UNEXPECTED("unexpected");

    /** The suffix of a rejection that its caller wrote itself. */
    static final String BY_OWN_WRITE = ", by a write of its own";

    private final String text;

    Answer(String text) {
        this.text = text;
    }

    boolean isSuccess() {
        return this == EXECUTED || this == REPLAYED || this == HEALED;
    }

    /** Whether it means that there is no effect and never will be. */
    boolean isFailure() {
        return this == REJECTED || this == FAILED;
    }

    /** Whether it means that this call itself has had no effect. */
    boolean deniesOwnEffect() {
        return this == FAILED || this == RELEASED || this == NOT_STARTED;
    }

    /**
     * Whether the caller has only read it.
     *
     * @param own the prefix of the results of its own call
     */
    boolean isRead(String detail, String own) {
        return (this == REPLAYED && !detail.startsWith(own)) || (this == REJECTED && !detail.endsWith(BY_OWN_WRITE));
    }

    /** Whether a retry may get a different outcome later. */
    boolean isOpen() {
        return this == IN_PROGRESS
                || this == UNKNOWN
                || this == FOLLOW_UP_OWED
                || this == NOT_STARTED
                || this == RELEASED;
    }

    @Override
    public String toString() {
        return text;
    }
}
