/**
 * Transactions with an isolation level and a bounded retry: {@link
 * io.counterpoint.idempotency.consistency.Transactions}. Status transitions, the outbox, checks and comparison are
 * artifacts of their own, which need this one and none of each other.
 */
@NullMarked
package io.counterpoint.idempotency.consistency;

import org.jspecify.annotations.NullMarked;
