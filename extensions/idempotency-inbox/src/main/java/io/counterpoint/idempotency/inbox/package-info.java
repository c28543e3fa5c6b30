/**
 * An inbox: a consumer of messages whose effects happen once, no matter how often a message arrives.
 *
 * <p>{@link io.counterpoint.idempotency.inbox.Inbox} is the core, for any broker. The package {@code kafka} contains
 * the loop for Kafka's own client, and the package {@code spring} a listener for Spring's containers.
 */
@NullMarked
package io.counterpoint.idempotency.inbox;

import org.jspecify.annotations.NullMarked;
