package io.counterpoint.idempotency.spi;

/** Which other transactions a lock on a record excludes, and therefore what holding it proves. */
public enum LockScope {
    /** Every other one, on whatever machine. */
    GLOBAL,
    /**
     * Those of the server that takes all writes at a time. A former one may not notice that another has taken its place: it
     * goes on locking, and cannot commit. What it reads under a lock is not final.
     */
    PRIMARY,
    /**
     * Those of the same node. Each node locks for itself, and changes are compared at the commit. What is read under a lock
     * is not final, and a node may end a transaction without an error.
     */
    NODE
}
