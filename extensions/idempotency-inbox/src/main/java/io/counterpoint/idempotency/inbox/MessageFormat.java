package io.counterpoint.idempotency.inbox;

/**
 * How an inbox reads a broker's message, except for its {@link Identity}.
 *
 * <p>If a method throws for a message or returns null, only this message is at fault: if the value is needed, the
 * message becomes a dead letter. A method that does not return blocks the thread that handles messages.
 *
 * @param <M> the broker's message type
 */
public interface MessageFormat<M> {

    /**
     * Returns the origin of this delivery. It identifies the dead letter of a message without an identity, so the same
     * message should have the same origin when it is redelivered. Without an origin, the letter is identified by the
     * content, which two messages may share. Without that as well, it is identified by the message's toString, which
     * may differ between deliveries.
     *
     * @param message the message
     * @return its origin, with the broker's own identifiers
     */
    String origin(M message);

    /**
     * Messages with equal order keys are handled in the order of their delivery. A message without an order key becomes
     * a dead letter before the ones behind it are handled. While its letter cannot be stored, all later messages in the
     * same call are blocked, because any of them may have its order key.
     *
     * @param message the message
     * @return a value with {@code equals} and {@code hashCode}
     */
    Object orderKey(M message);

    /**
     * Returns the content, which is stored with a dead letter and compared when an identity recurs. If the content
     * cannot be read, the letter records that instead.
     *
     * @param message the message
     * @return the bytes; empty if there is no content
     */
    byte[] content(M message);
}
