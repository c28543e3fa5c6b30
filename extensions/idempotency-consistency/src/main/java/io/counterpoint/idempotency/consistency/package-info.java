/**
 * Transactions with an isolation level and bounded retries: {@link
 * io.counterpoint.idempotency.consistency.Transactions}. Status transitions, the outbox, checks and comparison are
 * separate artifacts, which depend on this one but not on each other.
 */
@NullMarked
package io.counterpoint.idempotency.consistency;

import org.jspecify.annotations.NullMarked;
