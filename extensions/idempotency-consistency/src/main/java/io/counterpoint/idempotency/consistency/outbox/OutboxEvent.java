package io.counterpoint.idempotency.consistency.outbox;

import java.util.Optional;
import java.util.UUID;

/**
 * What happened, for consumers that handle it later.
 *
 * @param id the unique identifier by which consumers recognize duplicates
 * @param topic the topic, 1 to 100 characters: each topic has its own publishers and its own lag
 * @param orderKey the identifier of what the event is about; events of a topic with the same key are published one
 *     after the other, in the order in which they were appended. Empty for unordered events
 * @param payload the content, up to 1 Mi characters; use identifiers rather than documents
 */
public record OutboxEvent(UUID id, String topic, Optional<String> orderKey, String payload) {

    private static final int MAX_PAYLOAD = 1 << 20;

    /**
     * Checks the sizes and that every database can store the texts.
     *
     * @param id the identifier
     * @param topic the topic
     * @param orderKey the order key
     * @param payload the content
     * @throws IllegalArgumentException if one is out of range or contains a NUL or an unpaired surrogate
     */
    public OutboxEvent {
        if (topic.isEmpty() || topic.length() > 100) {
            throw new IllegalArgumentException(
                    "The topic of an event must be 1 to 100 characters, found " + topic.length() + ".");
        }
        if (orderKey.isPresent() && (orderKey.get().isEmpty() || orderKey.get().length() > 255)) {
            throw new IllegalArgumentException("The order key of an event must be 1 to 255 characters, found "
                    + orderKey.get().length() + ".");
        }
        if (payload.length() > MAX_PAYLOAD) {
            throw new IllegalArgumentException("The payload of an event must be at most " + MAX_PAYLOAD + ""
                    + " characters, found " + payload.length() + ".");
        }
        requireStorable("topic", topic);
        orderKey.ifPresent(key -> requireStorable("order key", key));
        requireStorable("payload", payload);
    }

    private static void requireStorable(String what, String text) {
        int at = Texts.unstorable(text);
        if (at >= 0) {
            throw new IllegalArgumentException("The " + what + " of an event must not contain NUL or a lone"
                    + " surrogate, found one at index " + at + ". Escape it.");
        }
    }

    /**
     * Creates an unordered event.
     *
     * @param topic the topic
     * @param payload the content
     * @return the event, with a random id
     */
    public static OutboxEvent of(String topic, String payload) {
        return new OutboxEvent(UUID.randomUUID(), topic, Optional.empty(), payload);
    }

    /**
     * Creates an event that is published after all earlier events of its topic and key.
     *
     * @param topic the topic
     * @param orderKey the order key
     * @param payload the content
     * @return the event, with a random id
     */
    public static OutboxEvent ordered(String topic, String orderKey, String payload) {
        return new OutboxEvent(UUID.randomUUID(), topic, Optional.of(orderKey), payload);
    }

    /** Shows topic and identifier, but not the payload, which does not belong in logs. */
    @Override
    public String toString() {
        return "OutboxEvent[" + topic + ", " + id + "]";
    }
}
