/**
 * A consumer of payments over Kafka: three files to copy. The package {@code breaker} has a program that tries to break
 * it.
 */
@NullMarked
package io.counterpoint.idempotency.examples.consumer;

import org.jspecify.annotations.NullMarked;
