package io.counterpoint.idempotency.consistency.outbox;

import java.time.Instant;

/**
 * An event whose attempts are used up.
 *
 * @param event the event
 * @param attempts how often it was tried
 * @param error what was thrown last, cut at 1000 characters
 * @param parkedAt when it was given up
 */
public record ParkedEvent(OutboxEvent event, int attempts, String error, Instant parkedAt) {}
