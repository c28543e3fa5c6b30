package io.counterpoint.idempotency.examples.groupcreation.breaker;

/** When a leader can be stopped. */
public enum Moment {
    /** The claim is committed, and the transaction that holds the record's lock has begun. */
    CLAIMED,
    /** Everything is written; nothing is committed. */
    BEFORE_COMMIT,
    /** The group is committed in its own database; its record is still pending. */
    BEFORE_MARK,
    /** Group and record are committed, but the caller has received no response. */
    AFTER_COMMIT;

    /** Whether leaders are killed at this moment. Killing one right after the claim shows nothing new. */
    boolean killsUnder(Protocol protocol) {
        return this != CLAIMED && (this != BEFORE_MARK || protocol == Protocol.EXTERNAL);
    }

    String describe(Protocol protocol) {
        return switch (this) {
            case CLAIMED -> "just after the claim";
            case BEFORE_COMMIT -> "just before the commit";
            case BEFORE_MARK -> "after the commit, before the mark";
            case AFTER_COMMIT -> protocol == Protocol.EXTERNAL ? "just after the mark" : "just after the commit";
        };
    }
}
