/** The Idempotency-Key filter in Spring Boot. */
@NullMarked
package io.counterpoint.idempotency.examples.springboot;

import org.jspecify.annotations.NullMarked;
