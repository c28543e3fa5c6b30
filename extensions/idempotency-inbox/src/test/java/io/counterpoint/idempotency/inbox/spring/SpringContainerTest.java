package io.counterpoint.idempotency.inbox.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.inbox.DeadLetterTable;
import io.counterpoint.idempotency.inbox.Inbox;
import io.counterpoint.idempotency.inbox.InboxListener;
import io.counterpoint.idempotency.inbox.kafka.KafkaMessages;
import io.counterpoint.idempotency.inbox.kafka.TopicIds;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.PostgresServer;
import io.counterpoint.idempotency.testing.kafka.KafkaServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.event.ListenerContainerIdleEvent;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;

/** An inbox in Spring's own container, which an application context starts and stops, before a real broker. */
@Tag("matrix")
@Timeout(300)
class SpringContainerTest {

    private static final String TOPIC = "parcels";
    private static final String ID_HEADER = "parcel-id";
    private static final int PARTITIONS = 3;
    private static final int MESSAGES = 600;
    private static final int POISON = 301;
    private static final int UNREADABLE = 402;
    private static final int LATER = 150;
    private static final long NEXT_IDLE_MILLIS = 200;

    private static KafkaServer broker;
    private static Admin admin;

    private final AtomicInteger postponed = new AtomicInteger();
    private String url;
    private Jdbi jdbi;

    @BeforeAll
    static void start() {
        broker = KafkaServer.start();
        admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
    }

    @AfterAll
    static void stop() {
        admin.close();
        broker.close();
    }

    @BeforeEach
    void createTables() throws SQLException {
        url = PostgresServer.shared().createDatabase();
        jdbi = Jdbi.create(url);
        JdbiIdempotencyStore unused = JdbiIdempotencyStore.on(jdbi).createTableIfMissing();
        jdbi.useHandle(handle -> {
            handle.execute("CREATE TABLE parcel (seq BIGSERIAL, id TEXT NOT NULL, partition INT, number INT)");
            DeadLetterTable.createIfMissing(handle.getConnection());
        });
    }

    @Test
    void eachMessageHasOneEffectThoughTheContextIsClosedAndAnotherGoesOn() throws Exception {
        admin.createTopics(List.of(new NewTopic(TOPIC, PARTITIONS, (short) 1)))
                .all()
                .get(60, TimeUnit.SECONDS);
        produce();

        CountDownLatch someHandled = new CountDownLatch(2);
        try (GenericApplicationContext first = context(someHandled)) {
            first.refresh();
            assertThat(someHandled.await(100, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(count("SELECT count(*) FROM parcel")).as("before the second").isPositive();
        CountDownLatch allAcknowledged = new CountDownLatch(1);
        try (GenericApplicationContext second = context(new CountDownLatch(0))) {
            second.addApplicationListener(event -> {
                if (event instanceof ListenerContainerIdleEvent && uncommitted() == 0) {
                    allAcknowledged.countDown();
                }
            });
            second.refresh();
            assertThat(allAcknowledged.await(100, TimeUnit.SECONDS)).isTrue();
        }

        assertThat(count("SELECT count(*) FROM parcel")).isEqualTo(MESSAGES - 2);
        assertThat(count("SELECT count(DISTINCT id) FROM parcel")).isEqualTo(MESSAGES - 2);
        assertThat(count("""
            SELECT count(*) FROM (SELECT number, lag(number) OVER (PARTITION BY partition ORDER BY seq)
                AS before FROM parcel) AS pair WHERE number < before\
            """)).as("out of order").isZero();
        assertThat(count("SELECT count(*) FROM inbox_dead_letter WHERE reason = 'POISON'"))
                .isEqualTo(1);
        assertThat(count("SELECT count(*) FROM inbox_dead_letter WHERE reason = 'NO_IDENTITY'"))
                .isEqualTo(1);
        assertThat(count("SELECT count(*) FROM inbox_dead_letter WHERE reason = 'UNREADABLE'"))
                .as("of both copies")
                .isEqualTo(2);
        assertThat(postponed).hasPositiveValue();
    }

    /** Each message twice, the second time behind others; one without identity; the one that is postponed only once. */
    private static void produce() {
        try (Producer<String, String> producer = new KafkaProducer<>(Map.of(
                "bootstrap.servers", broker.bootstrapServers(),
                "key.serializer", StringSerializer.class,
                "value.serializer", StringSerializer.class))) {
            Future<RecordMetadata> withoutIdentity = producer.send(new ProducerRecord<>(TOPIC, 0, "key", "-1"));
            for (int i = 0; i < MESSAGES + 50; i++) {
                if (i < MESSAGES) {
                    send(producer, i);
                }
                if (i >= 50 && i - 50 != LATER) {
                    send(producer, i - 50);
                }
            }
            assertThat(withoutIdentity).isNotNull();
        }
    }

    private static void send(Producer<String, String> producer, int number) {
        ProducerRecord<String, String> parcel =
                new ProducerRecord<>(TOPIC, number % PARTITIONS, "key", Integer.toString(number));
        parcel.headers().add(ID_HEADER, ("parcel-" + number).getBytes(UTF_8));
        Future<RecordMetadata> unused = producer.send(parcel);
    }

    /** A context with a pool, an inbox and Spring's container, which the context starts and stops. */
    private GenericApplicationContext context(CountDownLatch handled) {
        GenericApplicationContext context = new GenericApplicationContext();
        context.registerBean(HikariDataSource.class, () -> {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(url);
            config.setMaximumPoolSize(2);
            return new HikariDataSource(config);
        });
        context.registerBean(
                InboxMessageListener.class,
                () -> new InboxMessageListener<>(
                        inbox(context.getBean(HikariDataSource.class), handled), Duration.ofMillis(20)));
        context.registerBean(
                ConcurrentMessageListenerContainer.class, () -> container(context.getBean(InboxMessageListener.class)));
        return context;
    }

    private static ConcurrentMessageListenerContainer<String, String> container(InboxMessageListener<?, ?> listener) {
        ContainerProperties properties = new ContainerProperties(TOPIC);
        properties.setGroupId(TOPIC);
        properties.setMessageListener(listener);
        properties.setAckMode(ContainerProperties.AckMode.MANUAL);
        properties.setIdleEventInterval(NEXT_IDLE_MILLIS);
        ConcurrentMessageListenerContainer<String, String> container = new ConcurrentMessageListenerContainer<>(
                new DefaultKafkaConsumerFactory<>(Map.of(
                        "bootstrap.servers",
                        broker.bootstrapServers(),
                        "key.deserializer",
                        StringDeserializer.class,
                        "value.deserializer",
                        StringDeserializer.class,
                        "auto.offset.reset",
                        "earliest",
                        "enable.auto.commit",
                        false,
                        "max.poll.records",
                        50)),
                properties);
        container.setConcurrency(2);
        return container;
    }

    private Inbox<Handle, ConsumerRecord<String, String>> inbox(HikariDataSource pool, CountDownLatch handled) {
        KafkaMessages<String, String> messages = KafkaMessages.ofText(TopicIds.of(admin, Set.of(TOPIC)));
        return Inbox.builder(JdbiIdempotencyStore.on(Jdbi.create(pool)), TOPIC, messages)
                .identity(messages.header(ID_HEADER))
                .fingerprint(parcel -> {
                    if (Integer.parseInt(parcel.value()) == UNREADABLE) {
                        throw new IllegalArgumentException("A parcel that cannot be read.");
                    }
                    return Fingerprint.ofParts(parcel.value());
                })
                .deadLetters(DeadLetterTable.through(Handle::getConnection))
                .retryOn(thrown -> thrown instanceof Later)
                .listener(new InboxListener() {
                    @Override
                    public void processed(String inbox, Counts counts, Duration duration) {
                        handled.countDown();
                    }

                    @Override
                    public void postponed(String inbox, String origin, Throwable cause) {
                        postponed.incrementAndGet();
                    }
                })
                .build(this::store);
    }

    private void store(Handle handle, ConsumerRecord<String, String> parcel) throws Later {
        int number = Integer.parseInt(parcel.value());
        if (number == LATER && postponed.get() == 0) {
            throw new Later();
        }
        if (number == POISON) {
            throw new IllegalArgumentException("A parcel without an address.");
        }
        int unused = handle.execute(
                "INSERT INTO parcel (id, partition, number) VALUES (?, ?, ?)",
                new String(parcel.headers().lastHeader(ID_HEADER).value(), UTF_8),
                parcel.partition(),
                number);
    }

    private int count(String sql) {
        return jdbi.withHandle(
                handle -> handle.createQuery(sql).mapTo(int.class).one());
    }

    /** What a consumer of the group would get once more. */
    private static long uncommitted() {
        try {
            long committed = admin
                    .listConsumerGroupOffsets(TOPIC)
                    .partitionsToOffsetAndMetadata()
                    .get(60, TimeUnit.SECONDS)
                    .values()
                    .stream()
                    .mapToLong(OffsetAndMetadata::offset)
                    .sum();
            return 2L * MESSAGES - committed;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Passes. */
    private static final class Later extends Exception {}
}
