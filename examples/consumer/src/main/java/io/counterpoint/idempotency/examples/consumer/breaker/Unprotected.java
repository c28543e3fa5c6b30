package io.counterpoint.idempotency.examples.consumer.breaker;

import io.counterpoint.idempotency.examples.consumer.Payment;
import io.counterpoint.idempotency.examples.consumer.PaymentConsumer;
import io.counterpoint.idempotency.examples.consumer.Payments;
import io.counterpoint.idempotency.inbox.InboxListener.Counts;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;

/** The same consumer without the inbox: it commits the offset after the transaction, and nothing remembers payments. */
final class Unprotected {

    private static final Duration POLL = Duration.ofMillis(100);

    private Unprotected() {}

    static void start(
            DataSource dataSource, Map<String, Object> configuration, String topic, Consumer<Counts> handled) {
        Map<String, Object> withoutAutoCommit = new HashMap<>(configuration);
        withoutAutoCommit.put("enable.auto.commit", false);
        Thread thread = new Thread(() -> {
            try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(withoutAutoCommit)) {
                consumer.subscribe(Set.of(topic));
                while (true) {
                    handle(dataSource, consumer, handled);
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private static void handle(DataSource dataSource, KafkaConsumer<String, String> consumer, Consumer<Counts> handled)
            throws SQLException {
        ConsumerRecords<String, String> records = consumer.poll(POLL);
        if (records.isEmpty()) {
            return;
        }
        List<Payment> payments = new ArrayList<>();
        records.forEach(message -> payments.add(PaymentConsumer.payment(message)));
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            Payments.book(connection, payments);
            connection.commit();
        }
        handled.accept(new Counts(payments.size(), 0, 0, 0));
        try {
            consumer.commitSync();
        } catch (CommitFailedException | RebalanceInProgressException | RetriableException again) {
            System.err.println("The offset was not committed: " + again.getMessage());
        }
    }
}
