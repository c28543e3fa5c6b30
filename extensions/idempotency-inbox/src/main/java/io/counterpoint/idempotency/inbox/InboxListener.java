package io.counterpoint.idempotency.inbox;

import java.time.Duration;

/**
 * Is notified of what an inbox does, for metrics. By default, every method does nothing. Methods are called on the
 * thread that handles messages, outside any transaction. Their exceptions are swallowed.
 *
 * <p>Regardless of listeners, dead letters, postponed messages and broker faults are logged, each at most once a
 * minute.
 */
public interface InboxListener {

    /**
     * Called when a call of {@link Inbox#process} has ended.
     *
     * @param inbox the name of the inbox
     * @param counts the number of messages by fate
     * @param duration how long the call took
     */
    default void processed(String inbox, Counts counts, Duration duration) {}

    /**
     * Called when a dead letter is committed or found to be committed.
     *
     * @param inbox the name of the inbox
     * @param origin where the message came from
     * @param reason why the inbox gave up on it
     */
    default void deadLetter(String inbox, String origin, DeadLetter.Reason reason) {}

    /**
     * Called when a message was not acknowledged and will be redelivered. A message that is postponed again and again
     * holds up all messages with its order key.
     *
     * @param inbox the name of the inbox
     * @param origin the message's origin
     * @param cause why
     */
    default void postponed(String inbox, String origin, Throwable cause) {}

    /**
     * Reports how many messages are waiting behind the last one that was polled.
     *
     * @param inbox the name of the inbox
     * @param source the queue, or the topic and its partition
     * @param messages the number of messages
     */
    default void lag(String inbox, String source, long messages) {}

    /**
     * Called when the loop encounters a fault of the broker, such as a failure to commit an offset or a record that
     * cannot be deserialized, or when a call of {@link Inbox#process} throws. The loop continues. Messages may be
     * redelivered.
     *
     * @param inbox the name of the inbox
     * @param cause what was thrown
     */
    default void brokerFault(String inbox, Throwable cause) {}

    /**
     * The number of messages by fate.
     *
     * @param processed messages that have taken effect
     * @param duplicates messages whose effect already existed
     * @param deadLetters messages that were given up
     * @param postponed messages that will be redelivered
     */
    record Counts(int processed, int duplicates, int deadLetters, int postponed) {}
}
