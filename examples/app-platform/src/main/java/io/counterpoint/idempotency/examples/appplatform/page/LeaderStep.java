package io.counterpoint.idempotency.examples.appplatform.page;

/** Where a leader can be stopped. */
enum LeaderStep {
    /** The claim is committed, and the transaction has begun with the record's lock. */
    CLAIMED,
    /** The group is written, and not committed. */
    WRITTEN,
    /** Group and record are committed, and the client has no answer. */
    COMMITTED
}
