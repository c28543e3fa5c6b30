/** Code shared by transitions, outbox, checks and comparison. Exported only to them. */
@NullMarked
package io.counterpoint.idempotency.consistency.internal;

import org.jspecify.annotations.NullMarked;
