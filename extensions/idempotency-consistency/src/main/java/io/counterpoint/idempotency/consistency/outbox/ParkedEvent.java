package io.counterpoint.idempotency.consistency.outbox;

import java.time.Instant;

/**
 * An event whose attempts are used up.
 *
 * @param event the event
 * @param attempts the number of attempts
 * @param error the last exception, truncated to 1000 characters
 * @param parkedAt when it was given up
 */
public record ParkedEvent(OutboxEvent event, int attempts, String error, Instant parkedAt) {}
