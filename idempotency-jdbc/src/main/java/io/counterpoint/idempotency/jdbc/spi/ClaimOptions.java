package io.counterpoint.idempotency.jdbc.spi;

import java.time.Duration;
import java.util.Optional;

/**
 * How a record is to be claimed.
 *
 * @param retention for how long the record answers once it is finished
 * @param lockWait how long the claim may wait for another claim of its key
 * @param boundedBySession whether it may wait as long as the session's own bound allows instead. A dialect that has no use
 *     for it keeps to {@code lockWait}
 * @param autoCommit whether the claim is a transaction of its own; otherwise the domain's statements follow in it
 * @param mayBeLost whether the claim may commit asynchronously: it may be lost with the server, together with all later
 *     commits and never without them. A database that does not promise that order ignores it
 * @param transaction the name that an earlier step has given to the transaction; empty at its first step. A dialect gives
 *     no second name, which could be that of a transaction that has silently followed
 */
public record ClaimOptions(
        Duration retention,
        Duration lockWait,
        boolean boundedBySession,
        boolean autoCommit,
        boolean mayBeLost,
        Optional<TransactionName> transaction) {

    /**
     * The options of a transaction's first step.
     *
     * @param retention for how long the record answers once it is finished
     * @param lockWait how long the claim may wait for another claim of its key
     * @param autoCommit whether the claim is a transaction of its own
     * @param mayBeLost whether the claim may commit asynchronously
     */
    public ClaimOptions(Duration retention, Duration lockWait, boolean autoCommit, boolean mayBeLost) {
        this(retention, lockWait, false, autoCommit, mayBeLost, Optional.empty());
    }

    /**
     * The same in a transaction whose first steps are done.
     *
     * @param name its name, if one of them has given it one
     * @return the options
     */
    public ClaimOptions in(Optional<TransactionName> name) {
        return new ClaimOptions(retention, lockWait, boundedBySession, autoCommit, mayBeLost, name);
    }

    /**
     * The same with the session's own bound.
     *
     * @return the options
     */
    public ClaimOptions boundBySession() {
        return new ClaimOptions(retention, lockWait, true, autoCommit, mayBeLost, transaction);
    }
}
