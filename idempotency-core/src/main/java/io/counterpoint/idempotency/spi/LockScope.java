package io.counterpoint.idempotency.spi;

/** Which other transactions are excluded by a lock on a record, and therefore what holding one proves. */
public enum LockScope {
    /** All other transactions, on any machine. */
    GLOBAL,
    /**
     * Transactions of the server that currently takes all writes. A former primary may not notice that another server
     * has replaced it: it continues to lock but cannot commit, so what it reads under a lock is not final.
     */
    PRIMARY,
    /**
     * Transactions of the same node. Each node has its own locks, and changes are compared at commit. What is read
     * under a lock is not final, and a node may end a transaction without an error.
     */
    NODE
}
