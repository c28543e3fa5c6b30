/** A typical Spring Boot and JPA service whose use cases are safe to retry. */
@NullMarked
package io.counterpoint.idempotency.examples.springboot;

import org.jspecify.annotations.NullMarked;
