package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.spi.IdempotencyStore;

/**
 * How far a lock on a record reaches, and what the engine concludes from that. Where each node locks for itself, only the
 * acknowledged commit of a transaction that has changed the record proves anything. The numbers are those of decision 0037.
 */
enum Locks {
    /** A lock keeps every other transaction from the record. */
    GLOBAL,
    /** A lock holds as long as its server takes the writes of all. One that no longer does may not notice. */
    OF_THE_PRIMARY,
    /** A lock holds on its own node, and nodes compare their changes at the commit. */
    OF_EACH_NODE;

    static Locks of(IdempotencyStore<?> store) {
        return store.hasGlobalLocks() ? GLOBAL : store.onlyWorkEndsTransactions() ? OF_THE_PRIMARY : OF_EACH_NODE;
    }

    /** 1: whether a claim has waited for every earlier transaction with its key, so that what was in doubt is over. */
    boolean claimWaitsForEarlierRuns() {
        return this == GLOBAL;
    }

    /** 2: whether a key may be released while a commit of the call is in doubt. */
    boolean mayReleaseInDoubt() {
        return this == GLOBAL;
    }

    /** 2: whether a release without an answer may be tried again; else {@code Failed} takes its place. */
    boolean mayReleaseAgain() {
        return this == GLOBAL;
    }

    /** 2: whether a claim that was rolled back is a release, without a write. */
    boolean isReleasedByRollback() {
        return this == GLOBAL;
    }

    /** 4: whether a record that was read ends the doubt of its reader, unless it is the reader's own or terminal. */
    boolean readEndsDoubt() {
        return this == GLOBAL;
    }

    /** 5: whether only the work can have ended a transaction that has claimed or locked its record. */
    boolean onlyWorkEndsTransaction() {
        return this != OF_EACH_NODE;
    }

    /** 6: whether a claim may be lost in a crash, since every effect under it would be lost as well. */
    boolean claimMayBeLost() {
        return this == GLOBAL;
    }

    /** 9: whether one transaction resolves a commit for a whole batch; else each attempt resolves it for itself. */
    boolean resolvesBatchTogether() {
        return this == GLOBAL;
    }
}
