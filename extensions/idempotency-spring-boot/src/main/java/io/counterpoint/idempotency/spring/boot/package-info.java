/**
 * Auto-configuration for Spring Boot 3.5 and 4.1. {@link io.counterpoint.idempotency.spring.boot.IdempotencyProperties}
 * defines its properties.
 */
@NullMarked
package io.counterpoint.idempotency.spring.boot;

import org.jspecify.annotations.NullMarked;
