/** The inbox for Kafka's own client. */
@NullMarked
package io.counterpoint.idempotency.inbox.kafka;

import org.jspecify.annotations.NullMarked;
