package io.counterpoint.idempotency.jdbc.spi;

import java.time.Duration;

/**
 * How a record is to be claimed.
 *
 * @param retention for how long the record answers once it is finished
 * @param lockWait how long the claim may wait for another claim of its key
 * @param autoCommit whether the claim is a transaction of its own; otherwise the domain's statements follow in it
 * @param mayBeLost whether the claim may commit asynchronously: it may be lost with the server, together with all later
 *     commits and never without them. A database that does not promise that order ignores it
 */
public record ClaimOptions(Duration retention, Duration lockWait, boolean autoCommit, boolean mayBeLost) {}
