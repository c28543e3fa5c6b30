/**
 * A consumer of payments over Kafka: three files to copy. The package {@code breaker} contains a program that tries to
 * break them.
 */
@NullMarked
package io.counterpoint.idempotency.examples.consumer;

import org.jspecify.annotations.NullMarked;
