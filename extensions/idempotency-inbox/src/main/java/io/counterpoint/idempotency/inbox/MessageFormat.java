package io.counterpoint.idempotency.inbox;

/**
 * What an inbox reads from a message of a broker, besides its {@link Identity}.
 *
 * @param <M> the broker's type of messages
 */
public interface MessageFormat<M> {

    /**
     * Names this delivery: where it came from. It names the dead letter of a message that has no identity, so the same
     * message should have the same origin when it is delivered again.
     *
     * @param message the message
     * @return its origin, with the broker's own identifiers
     */
    String origin(M message);

    /**
     * Messages with equal order keys are handled in the order of their delivery.
     *
     * @param message the message
     * @return a value with {@code equals} and {@code hashCode}
     */
    Object orderKey(M message);

    /**
     * The content: kept with a dead letter, and compared when an identity arrives again.
     *
     * @param message the message
     * @return the bytes; empty where there is none
     */
    byte[] content(M message);
}
