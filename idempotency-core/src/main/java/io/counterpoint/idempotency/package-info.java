/**
 * The public API.
 *
 * <p>{@link io.counterpoint.idempotency.Idempotency} creates operations; an {@link
 * io.counterpoint.idempotency.Operation} executes an {@link io.counterpoint.idempotency.Attempt} and returns an {@link
 * io.counterpoint.idempotency.Outcome}.
 */
@NullMarked
package io.counterpoint.idempotency;

import org.jspecify.annotations.NullMarked;
