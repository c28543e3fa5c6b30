/**
 * What goes with idempotent writes, in parts that need none of the others. Here:
 * {@link io.counterpoint.idempotency.consistency.Transactions}, with a level and a bounded retry. Beside it guarded
 * transitions, an outbox, and checks with repairs.
 */
@NullMarked
package io.counterpoint.idempotency.consistency;

import org.jspecify.annotations.NullMarked;
