package io.counterpoint.idempotency.jdbc.spi;

import java.time.Duration;
import java.util.Optional;

/**
 * How a record is to be claimed.
 *
 * @param retention how long the record is kept once it is finished
 * @param lockWait how long the claim may wait for another claim of its key
 * @param boundedBySession whether it may wait for as long as the session's own limit allows instead. A dialect that
 *     does not support it uses {@code lockWait}
 * @param autoCommit whether the claim has its own transaction; otherwise the domain's statements follow in the same one
 * @param mayBeLost whether the claim may commit asynchronously, so that a crash of the server may lose it, but only
 *     together with all later commits. A database that does not guarantee that order ignores it
 * @param transaction the name that an earlier step has given to the transaction; empty in its first step. A dialect
 *     never names a transaction twice, because the second name could belong to a transaction that has silently replaced
 *     the first
 */
public record ClaimOptions(
        Duration retention,
        Duration lockWait,
        boolean boundedBySession,
        boolean autoCommit,
        boolean mayBeLost,
        Optional<TransactionName> transaction) {

    /**
     * Returns the options of a transaction's first step.
     *
     * @param retention how long the record is kept once it is finished
     * @param lockWait how long the claim may wait for another claim of its key
     * @param autoCommit whether the claim has its own transaction
     * @param mayBeLost whether the claim may commit asynchronously
     */
    public ClaimOptions(Duration retention, Duration lockWait, boolean autoCommit, boolean mayBeLost) {
        this(retention, lockWait, false, autoCommit, mayBeLost, Optional.empty());
    }

    /**
     * Returns the same options for a later step of a transaction.
     *
     * @param name its name, if one of them has given it one
     * @return the options
     */
    public ClaimOptions in(Optional<TransactionName> name) {
        return new ClaimOptions(retention, lockWait, boundedBySession, autoCommit, mayBeLost, name);
    }

    /**
     * Returns the same options with the session's own limit.
     *
     * @return the options
     */
    public ClaimOptions boundBySession() {
        return new ClaimOptions(retention, lockWait, true, autoCommit, mayBeLost, transaction);
    }
}
