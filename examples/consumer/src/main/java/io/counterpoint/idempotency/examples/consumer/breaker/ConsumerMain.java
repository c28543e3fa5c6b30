package io.counterpoint.idempotency.examples.consumer.breaker;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.examples.consumer.PaymentConsumer;
import io.counterpoint.idempotency.inbox.InboxListener;
import io.counterpoint.idempotency.inbox.kafka.KafkaInbox;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.serialization.StringDeserializer;

/** The consumer process. It prints one line per batch, and exits when its standard input is closed. */
final class ConsumerMain {

    /** The first line that it prints. */
    static final String READY = "consuming";

    private ConsumerMain() {}

    /**
     * Consumes until the process exits.
     *
     * @param args the JDBC URL, the broker, the batch size and, optionally, "unprotected"
     * @throws IOException never
     */
    public static void main(String[] args) throws IOException {
        System.out.println(READY);
        HikariConfig settings = new HikariConfig();
        settings.setJdbcUrl(args[0] + "&reWriteBatchedInserts=true");
        settings.setMaximumPoolSize(2);
        HikariDataSource pool = new HikariDataSource(settings);
        int batch = Integer.parseInt(args[2]);
        Map<String, Object> configuration = configuration(args[1], batch);
        if (args.length > 3) {
            Unprotected.start(pool, configuration, Consumers.TOPIC, ConsumerMain::print);
        } else {
            KafkaInbox<String, String> unused = PaymentConsumer.of(
                            JdbcIdempotencyStore.on(pool), configuration, Consumers.TOPIC, batch, new Printing())
                    .start();
        }
        while (System.in.read() >= 0) {
            // Nothing is ever written to standard input; only its end matters.
        }
        Runtime.getRuntime().halt(1);
    }

    private static Map<String, Object> configuration(String bootstrapServers, int batch) {
        return Map.of(
                "bootstrap.servers",
                bootstrapServers,
                "group.id",
                Consumers.GROUP,
                "key.deserializer",
                StringDeserializer.class,
                "value.deserializer",
                StringDeserializer.class,
                "auto.offset.reset",
                "earliest",
                "session.timeout.ms",
                10_000,
                "heartbeat.interval.ms",
                500,
                "max.poll.records",
                batch);
    }

    private static void print(InboxListener.Counts counts) {
        System.out.println(
                counts.processed() + " " + counts.duplicates() + " " + counts.deadLetters() + " " + counts.postponed());
    }

    private static final class Printing implements InboxListener {
        @Override
        public void processed(String inbox, Counts counts, Duration duration) {
            print(counts);
        }

        @Override
        public void postponed(String inbox, String origin, Throwable cause) {
            System.err.println("postponed " + origin + ": " + cause);
        }
    }
}
