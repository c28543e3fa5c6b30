package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.LockScope;

/**
 * How far a lock on a record reaches, and what the engine concludes from that. Where each node locks for itself, only the
 * acknowledged commit of a transaction that has changed the record proves anything. The numbers are those of decision 0037.
 */
record Locks(LockScope scope) {

    /** To be asked after a session: by then the store knows its database, and asks nothing more. */
    static Locks of(IdempotencyStore<?> store) {
        return new Locks(store.lockScope());
    }

    private boolean areGlobal() {
        return scope == LockScope.GLOBAL;
    }

    /** 1: whether a claim has waited for every earlier transaction with its key, so that what was in doubt is over. */
    boolean claimWaitsForEarlierRuns() {
        return areGlobal();
    }

    /** 2: whether a key may be released while a commit of the call is in doubt. */
    boolean mayReleaseInDoubt() {
        return areGlobal();
    }

    /** 2: whether a release without an answer may be tried again; else {@code Failed} takes its place. */
    boolean mayReleaseAgain() {
        return areGlobal();
    }

    /** 2: whether a claim that was rolled back is a release, without a write. */
    boolean isReleasedByRollback() {
        return areGlobal();
    }

    /** 4: whether a record that was read ends the doubt of its reader, unless it is the reader's own or terminal. */
    boolean readEndsDoubt() {
        return areGlobal();
    }

    /** 5: whether only the work can have ended a transaction that has claimed or locked its record. */
    boolean nobodyElseEndsTransaction() {
        return scope != LockScope.NODE;
    }

    /** 6: whether a claim may be lost in a crash, since every effect under it would be lost as well. */
    boolean claimMayBeLost() {
        return areGlobal();
    }

    /** 9: whether one transaction resolves a commit for a whole batch; else each attempt resolves it for itself. */
    boolean resolvesBatchTogether() {
        return areGlobal();
    }
}
