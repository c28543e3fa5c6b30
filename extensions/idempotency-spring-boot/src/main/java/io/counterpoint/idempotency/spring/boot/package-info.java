/**
 * Auto-configuration for Spring Boot 3.5 and 4.1. For the properties, see {@link
 * io.counterpoint.idempotency.spring.boot.IdempotencyProperties}.
 */
@NullMarked
package io.counterpoint.idempotency.spring.boot;

import org.jspecify.annotations.NullMarked;
