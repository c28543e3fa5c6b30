package io.counterpoint.idempotency.inbox;

import java.time.Duration;

/**
 * Receives events from an inbox, for metrics. Every method does nothing unless overridden. They are called on the
 * thread that handles messages, outside any transaction. Their exceptions are swallowed.
 *
 * <p>Dead letters, postponed messages and broker faults are always logged, each at most once a minute.
 */
public interface InboxListener {

    /**
     * A call of {@link Inbox#process} has ended.
     *
     * @param inbox the name of the inbox
     * @param counts the number of messages by fate
     * @param duration how long the call took
     */
    default void processed(String inbox, Counts counts, Duration duration) {}

    /**
     * A dead letter is committed, or had already been committed.
     *
     * @param inbox the name of the inbox
     * @param origin the message's origin
     * @param reason why it was given up
     */
    default void deadLetter(String inbox, String origin, DeadLetter.Reason reason) {}

    /**
     * A message was not acknowledged and will be redelivered. A message that is postponed again and again blocks all
     * messages with its order key.
     *
     * @param inbox the name of the inbox
     * @param origin the message's origin
     * @param cause why
     */
    default void postponed(String inbox, String origin, Throwable cause) {}

    /**
     * How many messages wait behind the last one that was polled.
     *
     * @param inbox the name of the inbox
     * @param source the queue, or the topic and its partition
     * @param messages how many
     */
    default void lag(String inbox, String source, long messages) {}

    /**
     * The loop encountered a broker fault, such as an offset that it could not commit or a record that cannot be
     * deserialized, or a call of {@link Inbox#process} threw. It goes on. Messages may be redelivered.
     *
     * @param inbox the name of the inbox
     * @param cause what was thrown
     */
    default void brokerFault(String inbox, Throwable cause) {}

    /**
     * The number of messages by fate.
     *
     * @param processed messages that had their effect
     * @param duplicates messages that had already had their effect
     * @param deadLetters messages that were given up
     * @param postponed messages that will be redelivered
     */
    record Counts(int processed, int duplicates, int deadLetters, int postponed) {}
}
