package io.counterpoint.idempotency.spi;

/** The kinds of faults that the protocol distinguishes. */
public enum Fault {
    /** A serialization failure or a deadlock: nothing is committed, and to run again helps. */
    CONFLICT(true, true),
    /** A lock was not given within its bound: nothing is committed, and to run again may help. */
    LOCK_TIMEOUT(true, true),
    /** The database gave the transaction up, by a timeout or for want of resources; the connection is alive. */
    CANCELLED(true, true),
    /** The database refused the transaction, and would again: a constraint, a missing table, a missing right. */
    STATEMENT_REFUSED(false, true),
    /**
     * The key has a record that this version of the store cannot read, such as one of a later version. What became of its
     * attempt is not known here. Nothing is committed.
     */
    RECORD_UNREADABLE(false, true),
    /**
     * The connection was lost, or there was none, or a commit was answered with a warning. A commit on its way may have
     * arrived or not.
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
     * Whether a further run may succeed.
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
