package io.counterpoint.idempotency.spi;

/** Which other transactions a lock on a record excludes, and therefore what holding it proves. */
public enum LockScope {
    /** All others, on any machine. */
    GLOBAL,
    /**
     * Those of the server that takes all writes at a time. A former one may not notice that it has been replaced: it
     * keeps granting locks, but cannot commit. A read under its locks is not final.
     */
    PRIMARY,
    /**
     * Those of the same node. Each node has its own locks, and changes are compared at the commit. A read under a lock
     * is not final, and a node may end a transaction without an error.
     */
    NODE
}
