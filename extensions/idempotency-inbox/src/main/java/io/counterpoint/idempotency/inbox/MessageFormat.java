package io.counterpoint.idempotency.inbox;

/**
 * How an inbox reads a broker's message, apart from its {@link Identity}.
 *
 * <p>A method that throws for a message, or returns null, is the fault of this message alone: where the answer is needed, the
 * message becomes a dead letter. A method that does not return holds the thread that handles messages.
 *
 * @param <M> the broker's type of messages
 */
public interface MessageFormat<M> {

    /**
     * Names this delivery: where it came from. It names the dead letter of a message that has no identity, so the same
     * message should have the same origin when it is delivered again. Without one the letter is named by the content, which
     * two messages may share. Without that too it is named by the message's own text, which two deliveries may not share.
     *
     * @param message the message
     * @return its origin, with the broker's own identifiers
     */
    String origin(M message);

    /**
     * Messages with equal order keys are handled in the order of their delivery. A message without one becomes a dead
     * letter before those behind it are handled. While its letter cannot be stored, all that come after it in the same call
     * are held up: any of them may have its order key.
     *
     * @param message the message
     * @return a value with {@code equals} and {@code hashCode}
     */
    Object orderKey(M message);

    /**
     * The content: kept with a dead letter, and compared when an identity arrives again. The letter of a message whose
     * content cannot be read says so, and has none.
     *
     * @param message the message
     * @return the bytes; empty where there is none
     */
    byte[] content(M message);
}
