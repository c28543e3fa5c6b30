package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.LockScope;

/**
 * The scope of a lock on a record, and what the engine concludes from it. If each node has its own locks, only the
 * acknowledged commit of a transaction that has changed the record proves anything. The numbers are those of decision
 * 0037.
 */
record Locks(LockScope scope) {

    /** Call this after a session: by then the store knows its database and need not query it. */
    static Locks of(IdempotencyStore<?> store) {
        return new Locks(store.lockScope());
    }

    private boolean areGlobal() {
        return scope == LockScope.GLOBAL;
    }

    /**
     * 1: whether a claim has waited for every earlier transaction with its key, so that nothing is in doubt any more.
     */
    boolean claimWaitsForEarlierRuns() {
        return areGlobal();
    }

    /** 2: whether a key may be released while a commit of the call is in doubt. */
    boolean mayReleaseInDoubt() {
        return areGlobal();
    }

    /** 2: whether a release whose reply was lost may be retried; otherwise {@code Failed} takes its place. */
    boolean mayReleaseAgain() {
        return areGlobal();
    }

    /** 2: whether rolling back a claim releases the key without a write. */
    boolean isReleasedByRollback() {
        return areGlobal();
    }

    /** 4: whether reading a record ends the doubt of its reader, unless the record is the reader's own or terminal. */
    boolean readEndsDoubt() {
        return areGlobal();
    }

    /** 5: whether only the work can have ended a transaction that has claimed or locked its record. */
    boolean nobodyElseEndsTransaction() {
        return scope != LockScope.NODE;
    }

    /** 6: whether a claim may be lost in a crash because every effect under it would be lost as well. */
    boolean claimMayBeLost() {
        return areGlobal();
    }

    /**
     * 9: whether one transaction resolves a commit for a whole batch; otherwise each attempt resolves it for itself.
     */
    boolean resolvesBatchTogether() {
        return areGlobal();
    }
}
