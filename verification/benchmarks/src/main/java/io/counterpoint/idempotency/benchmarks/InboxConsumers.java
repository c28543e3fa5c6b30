package io.counterpoint.idempotency.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Map.entry;

import io.counterpoint.idempotency.inbox.DeadLetterTable;
import io.counterpoint.idempotency.inbox.Inbox;
import io.counterpoint.idempotency.inbox.InboxListener;
import io.counterpoint.idempotency.inbox.kafka.KafkaInbox;
import io.counterpoint.idempotency.inbox.kafka.KafkaMessages;
import io.counterpoint.idempotency.inbox.kafka.TopicIds;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.testing.kafka.KafkaServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Two consumers of the same messages, one with an inbox and one without. Each has its own topic. For each message they
 * create a group, like all variants.
 */
final class InboxConsumers implements AutoCloseable {

    static final int BATCH = 500;

    private static final String WITH_INBOX = "with-inbox";
    private static final String UNPROTECTED = "unprotected";
    private static final String ID_HEADER = "message-id";
    /** Spreads the numbers of messages over their identities, so that these look random. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private static final long LONGEST_SECONDS = 120;

    private final KafkaServer broker;
    private final BenchmarkDatabase database;
    private final Admin admin;
    private final KafkaProducer<String, String> producer;
    private final JdbcIdempotencyStore store;

    InboxConsumers(KafkaServer broker, BenchmarkDatabase database) throws Exception {
        this.broker = broker;
        this.database = database;
        this.admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
        this.producer = new KafkaProducer<>(Map.of(
                "bootstrap.servers", broker.bootstrapServers(),
                "key.serializer", StringSerializer.class,
                "value.serializer", StringSerializer.class));
        this.store = JdbcIdempotencyStore.on(database.pool()).createTableIfMissing();
        try (Connection connection = database.pool().getConnection()) {
            Domain.createTablesIfMissing(connection);
            DeadLetterTable.createIfMissing(connection);
        }
        admin.createTopics(List.of(new NewTopic(WITH_INBOX, 1, (short) 1), new NewTopic(UNPROTECTED, 1, (short) 1)))
                .all()
                .get(LONGEST_SECONDS, TimeUnit.SECONDS);
    }

    /** How the work inserts its rows. */
    enum Work {
        /** Three statements per message, as in a handler of single messages. */
        MESSAGE_BY_MESSAGE {
            @Override
            void insert(Connection connection, List<ConsumerRecord<String, String>> messages) throws SQLException {
                for (int i = 0; i < messages.size(); i++) {
                    Domain.createGroup(connection, Domain.newGroupId());
                }
            }
        },
        /** One JDBC batch for each of the three tables. */
        JDBC_BATCHES {
            @Override
            void insert(Connection connection, List<ConsumerRecord<String, String>> messages) throws SQLException {
                Domain.createGroups(connection, messages.size());
            }
        };

        abstract void insert(Connection connection, List<ConsumerRecord<String, String>> messages) throws SQLException;
    }

    /** Counts messages, and the time from the end of the first batch to the end of the last. */
    private static final class Count {
        private final int expected;
        private final CountDownLatch all = new CountDownLatch(1);
        private int handled;
        private int ofFirstBatch;
        private long start;
        private long end;

        Count(int expected) {
            this.expected = expected;
        }

        synchronized void handled(int messages) {
            end = System.nanoTime();
            if (handled == 0) {
                start = end;
                ofFirstBatch = messages;
            }
            handled += messages;
            if (handled >= expected) {
                all.countDown();
            }
        }

        double awaitRate() throws InterruptedException {
            if (!all.await(LONGEST_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("The consumer has not handled " + expected + " messages within "
                        + LONGEST_SECONDS + " s; look at the broker's output.");
            }
            synchronized (this) {
                return (handled - ofFirstBatch) / ((end - start) / 1e9);
            }
        }
    }

    /**
     * Messages per second of a consumer with an inbox. Messages are numbered from the first number; known ones are
     * duplicates.
     */
    double inbox(Work work, int first, int messages) throws Exception {
        produce(WITH_INBOX, first, messages);
        Count count = new Count(messages);
        KafkaMessages<String, String> format = KafkaMessages.ofText(TopicIds.of(admin, Set.of(WITH_INBOX)));
        Inbox<Connection, ConsumerRecord<String, String>> inbox = Inbox.builder(store, "benchmark", format)
                .identity(format.header(ID_HEADER))
                .deadLetters(DeadLetterTable.through(Function.identity()))
                .listener(new InboxListener() {
                    @Override
                    public void processed(String name, Counts counts, Duration duration) {
                        count.handled(counts.processed() + counts.duplicates());
                    }
                })
                .buildForBatches(work::insert);
        try (KafkaInbox<String, String> loop = KafkaInbox.builder(inbox, Set.of(WITH_INBOX), configuration(WITH_INBOX))
                .batch(BATCH)
                .build()) {
            KafkaInbox<String, String> unused = loop.start();
            return count.awaitRate();
        }
    }

    /**
     * Messages per second of the same consumer without an inbox: it commits the offset after the transaction, and
     * remembers nothing.
     */
    double unprotected(Work work, int first, int messages) throws Exception {
        produce(UNPROTECTED, first, messages);
        Count count = new Count(messages);
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(configuration(UNPROTECTED))) {
            consumer.subscribe(Set.of(UNPROTECTED));
            for (int done = 0; done < messages; ) {
                List<ConsumerRecord<String, String>> polled = new ArrayList<>();
                consumer.poll(Duration.ofMillis(100)).forEach(polled::add);
                if (!polled.isEmpty()) {
                    insertUnprotected(work, polled);
                    count.handled(polled.size());
                    consumer.commitSync();
                    done += polled.size();
                }
            }
        }
        return count.awaitRate();
    }

    private void insertUnprotected(Work work, List<ConsumerRecord<String, String>> polled) throws SQLException {
        try (Connection connection = database.pool().getConnection()) {
            connection.setAutoCommit(false);
            work.insert(connection, polled);
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    private void produce(String topic, int first, int messages) {
        for (int number = first; number < first + messages; number++) {
            String id = new UUID(number * SPREAD, number).toString();
            ProducerRecord<String, String> message = new ProducerRecord<>(topic, id, "content of " + id);
            message.headers().add(ID_HEADER, id.getBytes(UTF_8));
            Future<RecordMetadata> unused = producer.send(message);
        }
        producer.flush();
    }

    private Map<String, Object> configuration(String topic) {
        return Map.ofEntries(
                entry("bootstrap.servers", broker.bootstrapServers()),
                entry("group.id", topic),
                entry("key.deserializer", StringDeserializer.class),
                entry("value.deserializer", StringDeserializer.class),
                entry("enable.auto.commit", false),
                entry("auto.offset.reset", "earliest"),
                entry("max.poll.records", BATCH));
    }

    @Override
    public void close() {
        producer.close();
        admin.close();
    }
}
