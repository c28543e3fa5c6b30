package io.counterpoint.idempotency.inbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.inbox.DeadLetterTable;
import io.counterpoint.idempotency.inbox.Inbox;
import io.counterpoint.idempotency.inbox.MessageFormat;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.PostgresServer;
import io.counterpoint.idempotency.testing.kafka.KafkaServer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real broker, a partition with a message that cannot be read, and a healthy one. */
@Tag("thorough")
class HealthyPartitionTest {

    private static final int GOOD = 40;

    private static KafkaServer broker;

    @BeforeAll
    static void start() {
        broker = KafkaServer.start();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    /** The record has three bytes, and is no number. */
    @Test
    void recordThatCannotBeDeserializedHoldsUpItsPartitionOnly() throws Exception {
        handleHealthyPartition("undecodable", new byte[3], "good/" + GOOD);
    }

    /** It is a dead letter, and those behind it follow. */
    @Test
    void messageWithoutAnOrderHoldsUpNothing() throws Exception {
        handleHealthyPartition("unordered", bytes(-1), "behind");
    }

    private static void handleHealthyPartition(String topic, byte[] bad, String last) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(topic, 2, (short) 1))).all().get(60, TimeUnit.SECONDS);
        }
        String url = PostgresServer.shared().createDatabase();
        Set<String> handled = ConcurrentHashMap.newKeySet();
        CountDownLatch lastHandled = new CountDownLatch(1);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(2);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            Jdbi jdbi = Jdbi.create(pool);
            JdbiIdempotencyStore store = JdbiIdempotencyStore.on(jdbi).createTableIfMissing();
            jdbi.useHandle(handle -> DeadLetterTable.createIfMissing(handle.getConnection()));
            produce(topic, bad);
            Inbox<Handle, ConsumerRecord<String, Integer>> inbox = Inbox.builder(store, topic, new Format())
                    .identity(message -> Optional.of(message.key()))
                    .deadLetters(DeadLetterTable.through(Handle::getConnection))
                    .build((handle, message) -> {
                        handled.add(message.key());
                        if (message.key().equals(last)) {
                            lastHandled.countDown();
                        }
                    });
            try (KafkaInbox<String, Integer> loop = KafkaInbox.builder(inbox, Set.of(topic), configuration(topic))
                    .redeliveredWithin(Duration.ofDays(1))
                    .batch(1)
                    .build()) {
                assertThat(loop.start()).isSameAs(loop);
                assertThat(lastHandled.await(60, TimeUnit.SECONDS))
                        .as("the last, of " + handled)
                        .isTrue();
            }
        } finally {
            PostgresServer.shared().giveBack(url);
        }
    }

    private static void produce(String topic, byte[] bad) {
        try (Producer<String, byte[]> producer = new KafkaProducer<>(Map.of(
                "bootstrap.servers", broker.bootstrapServers(),
                "key.serializer", StringSerializer.class,
                "value.serializer", ByteArraySerializer.class))) {
            send(producer, new ProducerRecord<>(topic, 0, "bad", bad));
            send(producer, new ProducerRecord<>(topic, 0, "behind", bytes(0)));
            for (int number = 1; number <= GOOD; number++) {
                send(producer, new ProducerRecord<>(topic, 1, "good/" + number, bytes(number)));
            }
        }
    }

    private static void send(Producer<String, byte[]> producer, ProducerRecord<String, byte[]> message) {
        Future<RecordMetadata> unused = producer.send(message);
    }

    private static byte[] bytes(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    private static Map<String, Object> configuration(String topic) {
        return Map.of(
                "bootstrap.servers",
                broker.bootstrapServers(),
                "group.id",
                topic,
                "key.deserializer",
                StringDeserializer.class,
                "value.deserializer",
                IntegerDeserializer.class,
                "max.poll.records",
                10);
    }

    /** The order of a message with a negative number is not known. */
    private static final class Format implements MessageFormat<ConsumerRecord<String, Integer>> {
        @Override
        public String origin(ConsumerRecord<String, Integer> message) {
            return message.partition() + "/" + message.offset();
        }

        @Override
        public Object orderKey(ConsumerRecord<String, Integer> message) {
            if (message.value() < 0) {
                throw new IllegalArgumentException("There is no order below zero.");
            }
            return message.partition();
        }

        @Override
        public byte[] content(ConsumerRecord<String, Integer> message) {
            return bytes(message.value());
        }
    }
}
