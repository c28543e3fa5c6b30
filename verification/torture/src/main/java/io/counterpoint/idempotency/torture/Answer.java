package io.counterpoint.idempotency.torture;

/** An answer that a caller got. */
enum Answer {
    EXECUTED("executed"),
    REPLAYED("replayed"),
    HEALED("healed"),
    IN_PROGRESS("in progress"),
    REJECTED("rejected"),
    KEY_REUSED("key reused"),
    /** The work's own exception, or that of the database: the attempt has failed for good. */
    FAILED("failed"),
    /** The key can be used again: the work has thrown, or could not begin. */
    RELEASED("released"),
    UNKNOWN("unknown"),
    /** The effect is there, and its follow-up is not, or not known to be. */
    FOLLOW_UP_OWED("follow-up owed"),
    NOT_STARTED("not started"),
    /** An answer that no caller may get in these modes. */
    UNEXPECTED("unexpected");

    /** At the end of the detail of a rejection that its caller has written itself. */
    static final String BY_OWN_WRITE = ", by a write of its own";

    private final String text;

    Answer(String text) {
        this.text = text;
    }

    boolean isSuccess() {
        return this == EXECUTED || this == REPLAYED || this == HEALED;
    }

    /** Whether it says that there is no effect and never will be. */
    boolean isFailure() {
        return this == REJECTED || this == FAILED;
    }

    /** Whether it says that this call, by itself, has had no effect. */
    boolean deniesOwnEffect() {
        return this == FAILED || this == RELEASED || this == NOT_STARTED;
    }

    /**
     * Whether the caller has only read it.
     *
     * @param own how the results of its own call begin
     */
    boolean isRead(String detail, String own) {
        return (this == REPLAYED && !detail.startsWith(own)) || (this == REJECTED && !detail.endsWith(BY_OWN_WRITE));
    }

    /** Whether the same question may get another answer later. */
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
