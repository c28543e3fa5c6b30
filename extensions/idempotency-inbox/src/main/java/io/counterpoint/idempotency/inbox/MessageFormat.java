package io.counterpoint.idempotency.inbox;

/**
 * How an inbox reads a broker's message, except for its {@link Identity}.
 *
 * <p>If a method throws for a message or returns null, this affects only that message: if the value is needed, the
 * message becomes a dead letter. A method that does not return blocks the thread that handles messages.
 *
 * @param <M> the broker's message type
 */
public interface MessageFormat<M> {

    /**
     * Returns where this delivery came from. Origin and content name the dead letter of a message without a usable
     * identity, so the same message should have the same origin when it is redelivered, and messages that share both
     * share a letter. Without either, the letter is named by the message's own text, which may differ between two
     * deliveries.
     *
     * @param message the message
     * @return the origin, with the broker's own identifiers
     */
    String origin(M message);

    /**
     * Returns the order key. Messages with equal order keys are handled in order of delivery. A message without one
     * becomes a dead letter before those behind it are handled. If its letter cannot be stored, all later messages in
     * the same call are held up, because any of them may have its order key.
     *
     * @param message the message
     * @return a value with {@code equals} and {@code hashCode}
     */
    Object orderKey(M message);

    /**
     * Returns the content, which is kept with a dead letter and compared when an identity arrives again. If it cannot
     * be read, the message's letter says so and has no content.
     *
     * @param message the message
     * @return the bytes; empty if there are none
     */
    byte[] content(M message);
}
