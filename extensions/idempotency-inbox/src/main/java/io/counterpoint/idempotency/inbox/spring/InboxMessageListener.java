package io.counterpoint.idempotency.inbox.spring;

import io.counterpoint.idempotency.inbox.Inbox;
import io.counterpoint.idempotency.inbox.Receipt;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.kafka.listener.BatchAcknowledgingMessageListener;
import org.springframework.kafka.support.Acknowledgment;

/**
 * A batch listener that passes a poll to an inbox, for containers with {@code AckMode.MANUAL}. Thread-safe.
 *
 * <p>It acknowledges the poll if all of it may be acknowledged. Otherwise the offsets before the first postponed
 * message are committed, and the container redelivers the rest after a pause. Messages of other partitions that were
 * already handled are redelivered as duplicates.
 *
 * <p>Unlike {@link io.counterpoint.idempotency.inbox.kafka.KafkaInbox}, it does not compare the retention with the
 * broker's.
 *
 * @param <K> the records' keys
 * @param <V> the records' values
 */
@SuppressWarnings("exports")
public final class InboxMessageListener<K, V>
        implements BatchAcknowledgingMessageListener<K, V>, SmartInitializingSingleton {

    private final Inbox<?, ConsumerRecord<K, V>> inbox;
    private final Duration pause;

    /**
     * Creates a listener.
     *
     * @param inbox handles the messages
     * @param pause how long the container waits before it redelivers postponed messages
     */
    public InboxMessageListener(Inbox<?, ConsumerRecord<K, V>> inbox, Duration pause) {
        this.inbox = inbox;
        this.pause = pause;
    }

    /**
     * Checks the inbox's tables if this is a Spring bean, before its containers start.
     *
     * @throws IllegalStateException as in {@link Inbox#checkTables}
     */
    @Override
    public void afterSingletonsInstantiated() {
        Inbox<?, ConsumerRecord<K, V>> unused = inbox.checkTables();
    }

    /**
     * Handles a poll.
     *
     * @param messages the records
     * @param acknowledgment acknowledges them
     * @throws IllegalStateException if the container provides none because its {@code AckMode} is not {@code MANUAL}
     */
    @Override
    public void onMessage(List<ConsumerRecord<K, V>> messages, @Nullable Acknowledgment acknowledgment) {
        if (acknowledgment == null) {
            throw new IllegalStateException("Inbox " + inbox.name() + ": the listener needs a container with"
                    + " AckMode.MANUAL. Set it in the container's properties.");
        }
        int done = acknowledgeable(messages);
        if (done < messages.size()) {
            acknowledgment.nack(done, pause);
        } else {
            acknowledgment.acknowledge();
        }
    }

    /**
     * Returns how many messages may be acknowledged. After an exception, the container would give up the whole poll.
     */
    private int acknowledgeable(List<ConsumerRecord<K, V>> messages) {
        int done = 0;
        try {
            for (Receipt<ConsumerRecord<K, V>> receipt : inbox.process(messages)) {
                if (!receipt.isAcknowledgeable()) {
                    return done;
                }
                done++;
            }
        } catch (Throwable thrown) {
            inbox.listener().brokerFault(inbox.name(), thrown);
        }
        return done;
    }

    @Override
    public String toString() {
        return "InboxMessageListener[" + inbox.name() + "]";
    }
}
