/**
 * The protocol: every decision about keys and records is taken here. Not exported, so users cannot depend on it.
 *
 * <p>Start at {@link io.counterpoint.idempotency.engine.Engine}, the loop. A part of the protocol returns a
 * {@link io.counterpoint.idempotency.engine.Next}, and the loop carries it out.
 */
@NullMarked
package io.counterpoint.idempotency.engine;

import org.jspecify.annotations.NullMarked;
