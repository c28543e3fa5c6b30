package io.counterpoint.idempotency.inbox.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.inbox.DeadLetterTable;
import io.counterpoint.idempotency.inbox.Identity;
import io.counterpoint.idempotency.inbox.Inbox;
import io.counterpoint.idempotency.inbox.InboxListener;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.PostgresServer;
import io.counterpoint.idempotency.testing.kafka.KafkaServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
import org.apache.kafka.common.serialization.StringSerializer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A broker, consumers that are killed, and messages that are sent twice. */
@Tag("thorough")
class KafkaInboxTest {

    private static final int PARTITIONS = 4;
    private static final int MESSAGES = 2_000;

    private static KafkaServer broker;
    private static Admin admin;

    @BeforeAll
    static void start() throws Exception {
        broker = KafkaServer.start();
        admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
        createTopic(Orders.TOPIC, Map.of());
    }

    @AfterAll
    static void stop() {
        admin.close();
        broker.close();
    }

    private static void createTopic(String name, Map<String, String> configuration) throws Exception {
        admin.createTopics(List.of(new NewTopic(name, PARTITIONS, (short) 1).configs(configuration)))
                .all()
                .get(60, TimeUnit.SECONDS);
    }

    /** Each message twice, the second time behind others; numbers grow within a partition. */
    private static void produce() {
        try (Producer<String, String> producer = new KafkaProducer<>(Map.of(
                "bootstrap.servers", broker.bootstrapServers(),
                "key.serializer", StringSerializer.class,
                "value.serializer", StringSerializer.class))) {
            for (int i = 0; i < MESSAGES + 100; i++) {
                if (i < MESSAGES) {
                    send(producer, i);
                }
                if (i >= 100) {
                    send(producer, i - 100);
                }
            }
        }
    }

    private static void send(Producer<String, String> producer, int number) {
        ProducerRecord<String, String> order =
                new ProducerRecord<>(Orders.TOPIC, number % PARTITIONS, "key", Integer.toString(number));
        order.headers().add("order-id", ("order-" + number).getBytes(UTF_8));
        Future<RecordMetadata> unused = producer.send(order);
    }

    /** Opens when no partition has a message left. */
    private static final class Caught implements InboxListener {
        private final Map<String, Long> lags = new ConcurrentHashMap<>();
        private final CountDownLatch up = new CountDownLatch(1);

        @Override
        public void lag(String inbox, String source, long messages) {
            lags.put(source, messages);
            if (lags.size() == PARTITIONS && lags.values().stream().allMatch(lag -> lag == 0)) {
                up.countDown();
            }
        }

        void await() throws InterruptedException {
            assertThat(up.await(100, TimeUnit.SECONDS))
                    .as("consumers caught up")
                    .isTrue();
        }
    }

    @Test
    void eachMessageHasOneEffectInOrderThoughAConsumerIsKilled() throws Exception {
        String url = PostgresServer.shared().createDatabase();
        Jdbi jdbi = Jdbi.create(url);
        Orders.createTables(jdbi);
        produce();
        OrdersProcess.killAfter(4, url, broker.bootstrapServers());

        Caught caught = new Caught();
        try (Orders first = Orders.start(url, broker.bootstrapServers(), caught);
                Orders second = Orders.start(url, broker.bootstrapServers(), caught)) {
            caught.await();
        }

        assertThat(count(jdbi, "SELECT count(*) FROM orders")).isEqualTo(MESSAGES);
        assertThat(count(jdbi, "SELECT count(DISTINCT id) FROM orders")).isEqualTo(MESSAGES);
        assertThat(count(jdbi, """
            SELECT count(*) FROM (SELECT number, lag(number) OVER (PARTITION BY partition ORDER BY seq)
                AS before FROM orders) AS pair WHERE number < before\
            """)).as("out of order").isZero();
        assertThat(count(jdbi, "SELECT count(*) FROM inbox_dead_letter")).isZero();
        assertThat(uncommitted()).isZero();
    }

    private static int count(Jdbi jdbi, String sql) {
        return jdbi.withHandle(
                handle -> handle.createQuery(sql).mapTo(int.class).one());
    }

    /** What a consumer of the group would get once more. */
    private static long uncommitted() throws Exception {
        long committed =
                admin.listConsumerGroupOffsets("orders").partitionsToOffsetAndMetadata().get().values().stream()
                        .mapToLong(offset -> offset.offset())
                        .sum();
        return 2L * MESSAGES - committed;
    }

    @Test
    void offsetsThatKafkaCommitsByItselfAreRefused() {
        Map<String, Object> configuration = new HashMap<>(Orders.configuration(broker.bootstrapServers()));
        configuration.put("enable.auto.commit", "true");
        withInbox(
                Duration.ofDays(15),
                inbox -> assertThatThrownBy(() -> KafkaInbox.builder(inbox, Set.of(Orders.TOPIC), configuration))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("enable.auto.commit is on"));
    }

    @Test
    void retentionShorterThanTheTopicsIsRefusedAtTheStart() {
        withInbox(Duration.ofDays(13), inbox -> {
            KafkaInbox<String, String> kafka = KafkaInbox.builder(
                            inbox, Set.of(Orders.TOPIC), Orders.configuration(broker.bootstrapServers()))
                    .build();
            assertThatThrownBy(kafka::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("within PT337H")
                    .hasMessageContaining("for PT312H only");
        });
    }

    @Test
    void topicThatKeepsMessagesForEverNeedsAWord() throws Exception {
        createTopic("compacted", Map.of("cleanup.policy", "compact"));
        withInbox(Duration.ofDays(15), inbox -> {
            KafkaInbox.Builder<String, String> builder =
                    KafkaInbox.builder(inbox, Set.of("compacted"), Orders.configuration(broker.bootstrapServers()));
            assertThatThrownBy(builder.build()::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("without limit");
            try (KafkaInbox<String, String> stated =
                    builder.redeliveredWithin(Duration.ofDays(2)).build()) {
                assertThat(stated.start()).isSameAs(stated);
            }
        });
    }

    /** As text each would be the same. */
    @Test
    void bytesAndTextsThatCannotBeToldApartAreNotRead() {
        KafkaMessages<String, String> messages = KafkaMessages.ofText(TopicIds.of(admin, Set.of(Orders.TOPIC)));
        Identity<ConsumerRecord<String, String>> identity = messages.header("order-id");
        assertThat(identity.of(order("order-\u00e9".getBytes(UTF_8), ""))).contains("order-\u00e9");
        for (byte last : new byte[] {(byte) 0xe9, (byte) 0xe8}) {
            assertThatThrownBy(() -> identity.of(order(new byte[] {'o', last}, "")))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(messages.content(order(new byte[0], "\ud83d\ude00"))).hasSize(4);
        for (String half : List.of("\ud83d", "\ude00")) {
            assertThatThrownBy(() -> messages.content(order(new byte[0], half)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static ConsumerRecord<String, String> order(byte[] id, String text) {
        ConsumerRecord<String, String> order = new ConsumerRecord<>(Orders.TOPIC, 0, 0, "key", text);
        order.headers().add("order-id", id);
        return order;
    }

    private interface Use {
        void with(Inbox<Handle, ConsumerRecord<String, String>> inbox) throws Exception;
    }

    private static void withInbox(Duration retention, Use use) {
        String url = PostgresServer.shared().createDatabase();
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setMaximumPoolSize(1);
        try (pool) {
            Jdbi jdbi = Jdbi.create(pool);
            JdbiIdempotencyStore unused = JdbiIdempotencyStore.on(jdbi).createTableIfMissing();
            jdbi.useHandle(handle -> DeadLetterTable.createIfMissing(handle.getConnection()));
            use.with(Orders.inbox(pool, broker.bootstrapServers(), new InboxListener() {}, retention));
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            PostgresServer.shared().giveBack(url);
        }
    }
}
