/**
 * Transactions with an isolation level and bounded retries: {@link
 * io.counterpoint.idempotency.consistency.Transactions}. Status transitions, the outbox, checks and comparison are
 * separate packages, which need this one but not each other.
 */
@NullMarked
package io.counterpoint.idempotency.consistency;

import org.jspecify.annotations.NullMarked;
