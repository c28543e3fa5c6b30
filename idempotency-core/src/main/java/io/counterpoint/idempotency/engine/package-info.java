/**
 * The protocol: every decision about keys and records is made here. Not exported, so users cannot depend on it.
 *
 * <p>Start at {@link io.counterpoint.idempotency.engine.Engine}, which contains the loop. Each part of the protocol
 * returns a {@link io.counterpoint.idempotency.engine.Next}, which the loop carries out.
 */
@NullMarked
package io.counterpoint.idempotency.engine;

import org.jspecify.annotations.NullMarked;
