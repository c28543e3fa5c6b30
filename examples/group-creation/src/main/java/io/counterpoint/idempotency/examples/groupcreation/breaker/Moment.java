package io.counterpoint.idempotency.examples.groupcreation.breaker;

/** When a leader is killed. */
enum Moment {
    /** Everything is written, nothing is committed. */
    BEFORE_COMMIT,
    /** The group is committed in its own database, the record does not say so yet. */
    BEFORE_MARK,
    /** Group and record are committed, and the caller never heard of it. */
    AFTER_COMMIT;

    boolean existsUnder(Protocol protocol) {
        return this != BEFORE_MARK || protocol == Protocol.EXTERNAL;
    }

    String describe(Protocol protocol) {
        return switch (this) {
            case BEFORE_COMMIT -> "just before the commit";
            case BEFORE_MARK -> "after the commit, before the mark";
            case AFTER_COMMIT -> protocol == Protocol.EXTERNAL ? "just after the mark" : "just after the commit";
        };
    }
}
