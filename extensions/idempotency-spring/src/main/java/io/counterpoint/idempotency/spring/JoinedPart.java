package io.counterpoint.idempotency.spring;

import io.counterpoint.idempotency.spi.WorkScope.End;

/** The part of a {@link Participant} in one transaction. */
interface JoinedPart {

    /** The key to which Spring binds its holder. */
    Object key();

    /** What Spring finds there. */
    Object holder();

    /** Writes what it holds back. */
    void flush();

    /** Does what it does before a commit. */
    void beforeCommit();

    /** Whether something has marked it as rollback-only. */
    boolean isRollbackOnly();

    /** Does what it does after the end. */
    void ended(End end);

    /** Gives back what it holds. */
    void close();
}
