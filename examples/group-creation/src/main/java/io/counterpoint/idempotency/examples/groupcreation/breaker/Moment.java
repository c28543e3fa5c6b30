package io.counterpoint.idempotency.examples.groupcreation.breaker;

/** Where a leader can be stopped. */
public enum Moment {
    /** The claim is committed, and the transaction has begun with the record's lock. */
    CLAIMED,
    /** Everything is written, nothing is committed. */
    BEFORE_COMMIT,
    /** The group is committed in its own database, the record does not say so yet. */
    BEFORE_MARK,
    /** Group and record are committed, and the caller never heard of it. */
    AFTER_COMMIT;

    /** Whether leaders are killed there. A claim without work is not worth a kill of its own. */
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
