package io.counterpoint.idempotency.inbox.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.inbox.DeadLetterTable;
import io.counterpoint.idempotency.inbox.Inbox;
import io.counterpoint.idempotency.inbox.InboxListener;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** A consumer of orders: a pool, an inbox and its loop. Each order is one row of a table without a unique key. */
final class Orders implements AutoCloseable {

    static final String TOPIC = "orders";
    static final Duration SESSION = Duration.ofSeconds(6);

    private final HikariDataSource pool;
    private final KafkaInbox<String, String> inbox;

    private Orders(HikariDataSource pool, KafkaInbox<String, String> inbox) {
        this.pool = pool;
        this.inbox = inbox;
    }

    static void createTables(Jdbi jdbi) throws SQLException {
        JdbiIdempotencyStore unused = JdbiIdempotencyStore.on(jdbi).createTableIfMissing();
        jdbi.useHandle(handle -> {
            handle.execute("CREATE TABLE orders (seq BIGSERIAL, id TEXT NOT NULL, partition INT, number INT)");
            DeadLetterTable.createIfMissing(handle.getConnection());
        });
    }

    static Orders start(String url, String bootstrapServers, InboxListener listener) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(2);
        HikariDataSource pool = new HikariDataSource(config);
        KafkaInbox<String, String> inbox = KafkaInbox.builder(
                        inbox(pool, bootstrapServers, listener, Duration.ofDays(15)),
                        Set.of(TOPIC),
                        configuration(bootstrapServers))
                .batch(100)
                .retryAfter(Duration.ofMillis(10), Duration.ofMillis(100))
                .build();
        return new Orders(pool, inbox.start());
    }

    static Map<String, Object> configuration(String bootstrapServers) {
        return Map.of(
                "bootstrap.servers",
                bootstrapServers,
                "group.id",
                "orders",
                "key.deserializer",
                StringDeserializer.class,
                "value.deserializer",
                StringDeserializer.class,
                "session.timeout.ms",
                (int) SESSION.toMillis(),
                "heartbeat.interval.ms",
                300,
                "max.poll.records",
                200);
    }

    static Inbox<Handle, ConsumerRecord<String, String>> inbox(
            HikariDataSource pool, String bootstrapServers, InboxListener listener, Duration retention) {
        TopicIds topics;
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            topics = TopicIds.of(admin, Set.of(TOPIC));
        }
        KafkaMessages<String, String> messages = KafkaMessages.ofText(topics);
        return Inbox.builder(JdbiIdempotencyStore.on(Jdbi.create(pool)), "orders", messages)
                .identity(messages.header("order-id"))
                .deadLetters(DeadLetterTable.through(Handle::getConnection))
                .listener(listener)
                .retention(retention)
                .build((handle, order) -> handle.execute(
                        "INSERT INTO orders (id, partition, number) VALUES (?, ?, ?)",
                        new String(order.headers().lastHeader("order-id").value(), UTF_8),
                        order.partition(),
                        Integer.parseInt(order.value())));
    }

    @Override
    public void close() {
        inbox.close();
        pool.close();
    }
}
