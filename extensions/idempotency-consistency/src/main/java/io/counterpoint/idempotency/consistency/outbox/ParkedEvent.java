package io.counterpoint.idempotency.consistency.outbox;

import java.time.Instant;

/**
 * An event whose attempts are exhausted.
 *
 * @param event the event
 * @param attempts how often it was tried
 * @param error the last exception, truncated to 1000 characters
 * @param parkedAt when it was parked
 */
public record ParkedEvent(OutboxEvent event, int attempts, String error, Instant parkedAt) {}
