package io.counterpoint.idempotency.jdbc.spi;

import java.time.Duration;
import java.util.Optional;

/**
 * How to claim a record.
 *
 * @param retention how long the record answers retries once it is finished
 * @param lockWait how long the claim may wait for another claim of its key
 * @param boundedBySession whether it may instead wait as long as the session's own timeout allows. A dialect that does
 *     not support this uses {@code lockWait}
 * @param autoCommit whether the claim is its own transaction; otherwise the domain's statements follow in the same one
 * @param mayBeLost whether the claim may commit asynchronously: it may then be lost in a server crash, but only
 *     together with all later commits. A database that does not guarantee that order ignores this
 * @param transaction the name that an earlier step has given to the transaction; empty at its first step. A dialect
 *     never assigns a second name, because it could belong to a transaction that has silently replaced the first
 */
public record ClaimOptions(
        Duration retention,
        Duration lockWait,
        boolean boundedBySession,
        boolean autoCommit,
        boolean mayBeLost,
        Optional<TransactionName> transaction) {

    /**
     * Creates the options of a transaction's first step.
     *
     * @param retention how long the record answers retries once it is finished
     * @param lockWait how long the claim may wait for another claim of its key
     * @param autoCommit whether the claim is its own transaction
     * @param mayBeLost whether the claim may commit asynchronously
     */
    public ClaimOptions(Duration retention, Duration lockWait, boolean autoCommit, boolean mayBeLost) {
        this(retention, lockWait, false, autoCommit, mayBeLost, Optional.empty());
    }

    /**
     * Returns these options for a transaction whose first steps are done.
     *
     * @param name the transaction's name, if one of the steps has assigned one
     * @return the options
     */
    public ClaimOptions in(Optional<TransactionName> name) {
        return new ClaimOptions(retention, lockWait, boundedBySession, autoCommit, mayBeLost, name);
    }

    /**
     * Returns these options with the session's own timeout.
     *
     * @return the options
     */
    public ClaimOptions boundBySession() {
        return new ClaimOptions(retention, lockWait, true, autoCommit, mayBeLost, transaction);
    }
}
