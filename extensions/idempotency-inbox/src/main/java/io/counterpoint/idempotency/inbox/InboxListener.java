package io.counterpoint.idempotency.inbox;

import java.time.Duration;

/**
 * Is notified of what an inbox does, for metrics. Every method does nothing unless overridden. They are called on the
 * thread that handles messages, outside every transaction. What they throw is swallowed.
 *
 * <p>Dead letters, postponed messages and faults of the broker are logged in any case, each at most once a minute.
 */
public interface InboxListener {

    /**
     * A call of {@link Inbox#process} has ended.
     *
     * @param inbox the name of the inbox
     * @param counts how many messages had which fate
     * @param duration how long the call took
     */
    default void processed(String inbox, Counts counts, Duration duration) {}

    /**
     * A dead letter is committed, or was found committed.
     *
     * @param inbox the name of the inbox
     * @param origin where the message came from
     * @param reason why it was given up
     */
    default void deadLetter(String inbox, String origin, DeadLetter.Reason reason) {}

    /**
     * A message was not acknowledged and will be redelivered. A message that comes here again and again holds up all
     * messages of its order key.
     *
     * @param inbox the name of the inbox
     * @param origin where the message came from
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
     * The loop met a fault of the broker, such as an offset that it could not commit or a record that cannot be
     * deserialized; or a call of {@link Inbox#process} has thrown. It goes on. Messages may come again.
     *
     * @param inbox the name of the inbox
     * @param cause what was thrown
     */
    default void brokerFault(String inbox, Throwable cause) {}

    /**
     * How many messages had which fate.
     *
     * @param processed messages that had their effect
     * @param duplicates messages whose effect was there already
     * @param deadLetters messages that were given up
     * @param postponed messages that will come again
     */
    record Counts(int processed, int duplicates, int deadLetters, int postponed) {}
}
