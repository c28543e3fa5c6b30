package io.counterpoint.idempotency.inbox.kafka;

import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.inbox.Inbox;
import io.counterpoint.idempotency.inbox.Receipt;
import io.counterpoint.idempotency.internal.Backoff;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RecordDeserializationException;
import org.apache.kafka.common.errors.RetriableException;

/** The polls of one consumer and the offsets that it commits. Confined to the consumer's thread. */
final class KafkaLoop<K, V> {

    private static final Duration POLL = Duration.ofMillis(100);

    private final Inbox<?, ConsumerRecord<K, V>> inbox;
    private final Consumer<K, V> consumer;
    private final int batch;
    private final PausedPartitions paused;

    KafkaLoop(Inbox<?, ConsumerRecord<K, V>> inbox, Consumer<K, V> consumer, int batch, Backoff backoff) {
        this.inbox = inbox;
        this.consumer = consumer;
        this.batch = batch;
        this.paused = new PausedPartitions(backoff);
    }

    /** Rebalancing needs no action: everything acknowledged is already committed by then. */
    void subscribe(Collection<String> topics) {
        consumer.subscribe(topics, new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
                paused.forget(revoked);
            }

            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
                paused.forget(assigned);
            }
        });
    }

    /**
     * Handles one poll. Messages that are left when the store cannot be reached or the loop is closing are read again.
     */
    void pollOnce(BooleanSupplier closing) {
        paused.resumeDue(consumer);
        ConsumerRecords<K, V> records = poll();
        boolean storeAnswers = true;
        for (TopicPartition partition : records.partitions()) {
            List<ConsumerRecord<K, V>> messages = records.records(partition);
            if (closing.getAsBoolean()) {
                return;
            }
            if (storeAnswers) {
                storeAnswers = handle(partition, messages, closing);
            } else {
                paused.postpone(consumer, partition, messages.get(0).offset());
            }
        }
        for (TopicPartition partition : consumer.assignment()) {
            consumer.currentLag(partition)
                    .ifPresent(lag -> inbox.listener().lag(inbox.name(), partition.toString(), lag));
        }
    }

    /** A record that cannot be deserialized holds up only its own partition. */
    private ConsumerRecords<K, V> poll() {
        try {
            return consumer.poll(POLL);
        } catch (RecordDeserializationException unreadable) {
            inbox.listener().brokerFault(inbox.name(), unreadable);
            paused.postpone(consumer, unreadable.topicPartition(), unreadable.offset());
            return ConsumerRecords.empty();
        }
    }

    /** Returns false if the store could not be queried. */
    private boolean handle(TopicPartition partition, List<ConsumerRecord<K, V>> messages, BooleanSupplier closing) {
        for (int from = 0; from < messages.size() && !closing.getAsBoolean(); from += batch) {
            List<ConsumerRecord<K, V>> part = messages.subList(from, Math.min(from + batch, messages.size()));
            List<Receipt<ConsumerRecord<K, V>>> receipts = process(part);
            int done = 0;
            while (done < receipts.size() && receipts.get(done).isAcknowledgeable()) {
                done++;
            }
            if (done > 0) {
                paused.progressed(partition);
                commit(partition, part.get(done - 1).offset() + 1);
            }
            if (done < part.size()) {
                paused.postpone(consumer, partition, part.get(done).offset());
                return receipts.stream()
                        .skip(done)
                        .findFirst()
                        .flatMap(Receipt::cause)
                        .filter(NotStartedException.class::isInstance)
                        .isEmpty();
            }
        }
        return true;
    }

    /** Returns the receipts of messages. Messages without a receipt must not be acknowledged. */
    private List<Receipt<ConsumerRecord<K, V>>> process(List<ConsumerRecord<K, V>> part) {
        try {
            return inbox.process(part);
        } catch (Throwable thrown) {
            inbox.listener().brokerFault(inbox.name(), thrown);
            return List.of();
        }
    }

    /**
     * An offset that is not committed now is committed with a later one, or its messages are redelivered as duplicates.
     */
    private void commit(TopicPartition partition, long next) {
        try {
            consumer.commitSync(Map.of(partition, new OffsetAndMetadata(next)));
        } catch (CommitFailedException | RebalanceInProgressException | RetriableException notNow) {
            inbox.listener().brokerFault(inbox.name(), notNow);
        }
    }
}
