package io.counterpoint.idempotency.jdbc.spi;

import io.counterpoint.idempotency.spi.IdempotencyRecord;

/**
 * A record under its lock.
 *
 * @param record the record
 * @param transaction the database's name for the transaction that holds the lock
 */
public record LockedRecord(IdempotencyRecord record, TransactionName transaction) {}
