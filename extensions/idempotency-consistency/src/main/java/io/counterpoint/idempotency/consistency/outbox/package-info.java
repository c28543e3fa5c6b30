/** Events that commit with the change they announce: {@link io.counterpoint.idempotency.consistency.outbox.Outbox}. */
@NullMarked
package io.counterpoint.idempotency.consistency.outbox;

import org.jspecify.annotations.NullMarked;
