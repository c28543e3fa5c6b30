/** Strict, versioned JSON for stored results: {@link io.counterpoint.idempotency.jackson.JsonCodecs}. */
@NullMarked
package io.counterpoint.idempotency.jackson;

import org.jspecify.annotations.NullMarked;
