package io.counterpoint.idempotency.inbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.inbox.Inbox;
import io.counterpoint.idempotency.inbox.InboxListener;
import io.counterpoint.idempotency.inbox.MessageFormat;
import io.counterpoint.idempotency.internal.Backoff;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** A poll in which a call of the inbox itself throws. */
class KafkaLoopTest {

    private static final TopicPartition BROKEN = new TopicPartition("orders", 0);
    private static final TopicPartition HEALTHY = new TopicPartition("orders", 1);

    private final List<String> handled = new ArrayList<>();
    private final List<Throwable> faults = new ArrayList<>();

    private static ConsumerRecord<String, String> message(TopicPartition partition) {
        return new ConsumerRecord<>(partition.topic(), partition.partition(), 0, "key", partition.toString());
    }

    private static final MessageFormat<ConsumerRecord<String, String>> FORMAT = new MessageFormat<>() {
        @Override
        public String origin(ConsumerRecord<String, String> message) {
            return message.value();
        }

        @Override
        public Object orderKey(ConsumerRecord<String, String> message) {
            return message.partition();
        }

        @Override
        public byte[] content(ConsumerRecord<String, String> message) {
            return new byte[0];
        }
    };

    private Inbox<?, ConsumerRecord<String, String>> inbox() {
        return Inbox.builder(new InMemoryIdempotencyStore(), "orders", FORMAT)
                .identity(message -> Optional.of(message.value()))
                .deadLetters((handle, letter) -> {})
                .listener(new InboxListener() {
                    @Override
                    public void brokerFault(String inbox, Throwable cause) {
                        faults.add(cause);
                    }
                })
                .build((handle, message) -> handled.add(message.value()));
    }

    @Test
    void callOfTheInboxThatThrowsPausesItsPartitionOnly() {
        StackOverflowError thrown = new StackOverflowError("no room to begin");
        List<ConsumerRecord<String, String>> broken = new AbstractList<>() {
            private boolean began;

            @Override
            public ConsumerRecord<String, String> get(int index) {
                if (!began) {
                    began = true;
                    throw thrown;
                }
                return message(BROKEN);
            }

            @Override
            public int size() {
                return 1;
            }
        };
        Map<TopicPartition, List<ConsumerRecord<String, String>>> poll = new LinkedHashMap<>();
        poll.put(BROKEN, broken);
        poll.put(HEALTHY, List.of(message(HEALTHY)));
        try (MockConsumer<String, String> consumer = new MockConsumer<>("earliest") {
            @Override
            public synchronized ConsumerRecords<String, String> poll(Duration timeout) {
                return new ConsumerRecords<>(poll, Map.of());
            }
        }) {
            KafkaLoop<String, String> loop =
                    new KafkaLoop<>(inbox(), consumer, 500, new Backoff(Duration.ofHours(1), Duration.ofHours(1)));
            consumer.assign(Set.of(BROKEN, HEALTHY));
            consumer.updateBeginningOffsets(Map.of(BROKEN, 0L, HEALTHY, 0L));

            loop.pollOnce(() -> false);

            assertThat(handled).containsExactly(HEALTHY.toString());
            assertThat(consumer.paused()).containsExactly(BROKEN);
            assertThat(consumer.committed(Set.of(HEALTHY)).get(HEALTHY)).isEqualTo(new OffsetAndMetadata(1));
            assertThat(faults).containsExactly(thrown);
        }
    }
}
