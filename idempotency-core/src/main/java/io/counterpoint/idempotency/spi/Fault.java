package io.counterpoint.idempotency.spi;

/** What went wrong, as far as it matters to the protocol. */
public enum Fault {
    /** A serialization failure or a deadlock: nothing is committed, and running again helps. */
    CONFLICT(true, true),
    /** A lock was not acquired in time: nothing is committed, and running again may help. */
    LOCK_TIMEOUT(true, true),
    /** The database aborted the transaction because of a timeout or a lack of resources; the connection is alive. */
    CANCELLED(true, true),
    /**
     * The database rejected the transaction and would do so again: a constraint, a missing table, a missing privilege.
     */
    STATEMENT_REFUSED(false, true),
    /**
     * The key has a record that this version of the store cannot read, such as one of a later version. The outcome of
     * its attempt is unknown here. Nothing is committed.
     */
    RECORD_UNREADABLE(false, true),
    /**
     * The connection was lost or could not be obtained, or the database replied to a commit with a warning. A commit
     * that was being sent may or may not have arrived.
     */
    CONNECTION_LOST(true, false),
    /** Anything else. Proves nothing about a commit. */
    UNRECOGNISED(false, false);

    private final boolean isTransient;
    private final boolean provesRollback;

    Fault(boolean isTransient, boolean provesRollback) {
        this.isTransient = isTransient;
        this.provesRollback = provesRollback;
    }

    /**
     * Returns whether another run may succeed.
     *
     * @return true if it may
     */
    public boolean isTransient() {
        return isTransient;
    }

    /**
     * Returns whether the commit that threw this is known to have changed nothing.
     *
     * @return true if it is
     */
    public boolean provesRollback() {
        return provesRollback;
    }
}
