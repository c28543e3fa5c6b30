/** A Kafka broker for tests and examples. */
@NullMarked
package io.counterpoint.idempotency.testing.kafka;

import org.jspecify.annotations.NullMarked;
