package io.counterpoint.idempotency.consistency.outbox;

import java.util.Optional;
import java.util.UUID;

/**
 * What happened, for consumers that handle it later.
 *
 * @param id a unique identifier, by which consumers recognize duplicates
 * @param topic the recipient, 1 to 100 characters; each topic has its own publishers and lag
 * @param orderKey usually the identifier of the changed entity: events of a topic with the same key are published one
 *     by one, in the order in which they were appended; empty for unordered events
 * @param payload the content, up to 1 Mi characters; prefer identifiers to documents
 */
public record OutboxEvent(UUID id, String topic, Optional<String> orderKey, String payload) {

    private static final int MAX_PAYLOAD = 1 << 20;

    /**
     * Checks the sizes, and that every database can store the texts.
     *
     * @param id the identifier by which consumers recognize duplicates
     * @param topic the topic, 1 to 100 characters
     * @param orderKey the key within which it is ordered
     * @param payload what it says
     * @throws IllegalArgumentException if one has an invalid length, or contains NUL or a lone surrogate
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
     * @param topic the topic, 1 to 100 characters
     * @param payload what it says
     * @return the event, with a random id
     */
    public static OutboxEvent of(String topic, String payload) {
        return new OutboxEvent(UUID.randomUUID(), topic, Optional.empty(), payload);
    }

    /**
     * Creates an event that is published after all earlier events of its topic and key.
     *
     * @param topic the topic, 1 to 100 characters
     * @param orderKey the key within which it is ordered
     * @param payload what it says
     * @return the event, with a random id
     */
    public static OutboxEvent ordered(String topic, String orderKey, String payload) {
        return new OutboxEvent(UUID.randomUUID(), topic, Optional.of(orderKey), payload);
    }

    /** Shows only topic and identifier, because payloads don't belong in logs. */
    @Override
    public String toString() {
        return "OutboxEvent[" + topic + ", " + id + "]";
    }
}
