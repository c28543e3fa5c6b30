/**
 * Metrics of idempotent operations: {@link io.counterpoint.idempotency.micrometer.IdempotencyMetrics} for events,
 * {@link io.counterpoint.idempotency.micrometer.ObservedCalls} for calls, and
 * {@link io.counterpoint.idempotency.micrometer.PendingRecords} for the table.
 */
@NullMarked
package io.counterpoint.idempotency.micrometer;

import org.jspecify.annotations.NullMarked;
