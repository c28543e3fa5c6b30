package io.counterpoint.idempotency.consistency.outbox;

import java.util.Optional;
import java.util.UUID;

/**
 * What happened, for consumers that handle it later.
 *
 * @param id what consumers recognize duplicates by; unique
 * @param topic whom it is for, 1 to 100 characters: each topic has publishers of its own, and its own lag
 * @param orderKey events of a topic with the same key go out one after the other, in the order in which they were
 *     appended: the identifier of what they announce; empty for events without order
 * @param payload what it says, up to 1 Mi characters; identifiers rather than documents
 */
public record OutboxEvent(UUID id, String topic, Optional<String> orderKey, String payload) {

    private static final int MAX_PAYLOAD = 1 << 20;

    /**
     * Checks the sizes, and that every database can store the texts.
     *
     * @param id what consumers recognize duplicates by
     * @param topic whom it is for
     * @param orderKey what it has an order within
     * @param payload what it says
     * @throws IllegalArgumentException if one is out of bounds, or has a NUL or a lone surrogate
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
     * @param topic whom it is for
     * @param payload what it says
     * @return the event, with a random id
     */
    public static OutboxEvent of(String topic, String payload) {
        return new OutboxEvent(UUID.randomUUID(), topic, Optional.empty(), payload);
    }

    /**
     * Creates an event that is published after all earlier events of its topic and key.
     *
     * @param topic whom it is for
     * @param orderKey what it has an order within
     * @param payload what it says
     * @return the event, with a random id
     */
    public static OutboxEvent ordered(String topic, String orderKey, String payload) {
        return new OutboxEvent(UUID.randomUUID(), topic, Optional.of(orderKey), payload);
    }

    /** Topic and identifier; payloads are not for logs. */
    @Override
    public String toString() {
        return "OutboxEvent[" + topic + ", " + id + "]";
    }
}
