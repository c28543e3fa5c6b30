/** A service whose use cases are safe to retry, as a team with Spring Boot and JPA writes it. */
@NullMarked
package io.counterpoint.idempotency.examples.springboot;

import org.jspecify.annotations.NullMarked;
