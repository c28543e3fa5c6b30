/**
 * Integration with Jakarta transaction managers: {@link io.counterpoint.idempotency.jakarta.JakartaIdempotencyStore}.
 */
@NullMarked
package io.counterpoint.idempotency.jakarta;

import org.jspecify.annotations.NullMarked;
