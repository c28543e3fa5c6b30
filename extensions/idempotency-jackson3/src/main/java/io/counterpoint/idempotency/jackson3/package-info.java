/** Strict, versioned JSON for stored results: {@link io.counterpoint.idempotency.jackson3.JsonCodecs}. */
@NullMarked
package io.counterpoint.idempotency.jackson3;

import org.jspecify.annotations.NullMarked;
