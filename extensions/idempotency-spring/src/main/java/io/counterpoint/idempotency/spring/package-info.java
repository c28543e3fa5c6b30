/** Spring's transactions join the library's: {@link io.counterpoint.idempotency.spring.SpringIdempotencyStore}. */
@NullMarked
package io.counterpoint.idempotency.spring;

import org.jspecify.annotations.NullMarked;
