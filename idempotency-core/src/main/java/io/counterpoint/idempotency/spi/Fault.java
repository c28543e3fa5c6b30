package io.counterpoint.idempotency.spi;

/** The kinds of faults that the protocol distinguishes. */
public enum Fault {
    /** A serialization failure or a deadlock: nothing is committed, and running again helps. */
    CONFLICT(true, true),
    /** A lock was not acquired in time: nothing is committed, and running again may help. */
    LOCK_TIMEOUT(true, true),
    /** The database aborted the transaction because of a timeout or a lack of resources; the connection is alive. */
    CANCELLED(true, true),
    /**
     * The database rejected the transaction, and would do so again, for example because of a constraint, a missing
     * table or a missing privilege.
     */
    STATEMENT_REFUSED(false, true),
    /**
     * The key has a record that this version of the store cannot read, such as one of a later version. The outcome of
     * its attempt is unknown here. Nothing is committed.
     */
    RECORD_UNREADABLE(false, true),
    /**
     * The connection was lost, or there was none, or a commit returned a warning. A commit in flight may or may not
     * have arrived.
     */
    CONNECTION_LOST(true, false),
    /** Anything else. It proves nothing about a commit. */
    UNRECOGNISED(false, false);

    private final boolean isTransient;
    private final boolean provesRollback;

    Fault(boolean isTransient, boolean provesRollback) {
        this.isTransient = isTransient;
        this.provesRollback = provesRollback;
    }

    /**
     * Whether another run may succeed.
     *
     * @return true if it may
     */
    public boolean isTransient() {
        return isTransient;
    }

    /**
     * Whether a commit that threw this is known to have changed nothing.
     *
     * @return true if it is
     */
    public boolean provesRollback() {
        return provesRollback;
    }
}
