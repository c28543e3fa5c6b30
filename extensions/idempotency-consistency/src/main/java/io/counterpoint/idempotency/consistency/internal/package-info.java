/** What transitions, outbox, checks and comparison share. Exported to them alone. */
@NullMarked
package io.counterpoint.idempotency.consistency.internal;

import org.jspecify.annotations.NullMarked;
