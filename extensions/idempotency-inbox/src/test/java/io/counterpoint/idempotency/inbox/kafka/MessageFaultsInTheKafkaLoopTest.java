package io.counterpoint.idempotency.inbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.inbox.Inbox;
import io.counterpoint.idempotency.inbox.Receipt.Fate;
import io.counterpoint.idempotency.internal.Backoff;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Tag;

/** A bad message in a poll of the Kafka loop. The offsets say what is acknowledged, and the consumer lives on. */
@Tag("thorough")
class MessageFaultsInTheKafkaLoopTest extends MessageFaultsContract {

    private static final TopicPartition WITH_THE_BAD = new TopicPartition("faults", 0);
    private static final TopicPartition HEALTHY = new TopicPartition("faults", 1);

    @Override
    void deliver(
            Inbox<Handle, ConsumerRecord<String, String>> inbox,
            List<ConsumerRecord<String, String>> poll,
            Case expected) {
        try (MockConsumer<String, String> consumer = new MockConsumer<>("earliest")) {
            KafkaLoop<String, String> loop =
                    new KafkaLoop<>(inbox, consumer, 500, new Backoff(Duration.ofHours(1), Duration.ofHours(1)));
            loop.subscribe(List.of("faults"));
            consumer.rebalance(List.of(WITH_THE_BAD, HEALTHY));
            consumer.updateBeginningOffsets(Map.of(WITH_THE_BAD, 0L, HEALTHY, 0L));
            poll.forEach(consumer::addRecord);

            loop.pollOnce(() -> false);

            List<Fate> fates = expected.fates(false);
            long done = 0;
            boolean postponed = false;
            for (int i = 0; i < fates.size(); i++) {
                if (poll.get(i).partition() == 0) {
                    postponed |= fates.get(i) == Fate.POSTPONED;
                    done += postponed ? 0 : 1;
                }
            }
            Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(Set.of(WITH_THE_BAD, HEALTHY));
            assertThat(committed.get(HEALTHY)).as("the healthy partition").isEqualTo(new OffsetAndMetadata(1));
            assertThat(committed.get(WITH_THE_BAD))
                    .as("the partition of the bad message")
                    .isEqualTo(done == 0 ? null : new OffsetAndMetadata(done));
            assertThat(consumer.position(WITH_THE_BAD)).isEqualTo(done);
            assertThat(consumer.paused()).isEqualTo(postponed ? Set.of(WITH_THE_BAD) : Set.of());
        }
    }
}
