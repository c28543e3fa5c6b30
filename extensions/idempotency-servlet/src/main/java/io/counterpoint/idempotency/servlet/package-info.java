/**
 * Idempotency over HTTP. Start at {@link io.counterpoint.idempotency.servlet.IdempotencyFilter}; handlers use {@link
 * io.counterpoint.idempotency.servlet.IdempotentRequest}.
 */
@NullMarked
package io.counterpoint.idempotency.servlet;

import org.jspecify.annotations.NullMarked;
