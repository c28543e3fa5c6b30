/**
 * Invalidation of changed cache entries in every process: {@link
 * io.counterpoint.idempotency.consistency.invalidation.CacheInvalidator}.
 */
@NullMarked
package io.counterpoint.idempotency.consistency.invalidation;

import org.jspecify.annotations.NullMarked;
