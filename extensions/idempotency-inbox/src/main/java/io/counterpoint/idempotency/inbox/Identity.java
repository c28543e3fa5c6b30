package io.counterpoint.idempotency.inbox;

import java.util.Optional;

/**
 * The identity of a message: equal for all copies of one message, different for two messages. The producer must have
 * chosen it, as a header or a field of the payload. Only then are the producer's own duplicates recognised.
 *
 * @param <M> the broker's type of messages
 */
@FunctionalInterface
public interface Identity<M> {

    /**
     * Reads the identity.
     *
     * @param message the message
     * @return 1 to 255 visible characters; empty if the message has none. A message without an acceptable identity
     *     becomes a dead letter, and so does one for which this throws, or returns null
     */
    Optional<String> of(M message);
}
