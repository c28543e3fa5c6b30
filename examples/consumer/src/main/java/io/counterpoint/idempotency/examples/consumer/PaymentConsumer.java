package io.counterpoint.idempotency.examples.consumer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.inbox.DeadLetterTable;
import io.counterpoint.idempotency.inbox.Inbox;
import io.counterpoint.idempotency.inbox.InboxListener;
import io.counterpoint.idempotency.inbox.kafka.KafkaInbox;
import io.counterpoint.idempotency.inbox.kafka.KafkaMessages;
import io.counterpoint.idempotency.inbox.kafka.TopicIds;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * The wiring: the messages of a topic, an inbox in the payments' database, and the consumer loop that connects them.
 */
public final class PaymentConsumer {

    private PaymentConsumer() {}

    /**
     * Creates a consumer that books each payment once.
     *
     * @param store where the inbox remembers messages, in the payments' database
     * @param configuration the Kafka consumer's configuration
     * @param topic the topic of the payments
     * @param batch how many payments commit together
     * @param listener is notified of what the inbox does
     */
    public static KafkaInbox<String, String> of(
            IdempotencyStore<Connection> store,
            Map<String, Object> configuration,
            String topic,
            int batch,
            InboxListener listener) {
        KafkaMessages<String, String> messages;
        try (Admin admin = Admin.create(configuration)) {
            messages = KafkaMessages.ofText(TopicIds.of(admin, Set.of(topic)));
        }
        Inbox<Connection, ConsumerRecord<String, String>> inbox = Inbox.builder(store, "payments", messages)
                .identity(messages.header(Payment.ID_HEADER))
                .deadLetters(DeadLetterTable.through(Function.identity()))
                .listener(listener)
                .buildForBatches((connection, records) -> Payments.book(connection, payments(records)));
        return KafkaInbox.builder(inbox, Set.of(topic), configuration)
                .batch(batch)
                .retryAfter(Duration.ofMillis(20), Duration.ofSeconds(1))
                .build();
    }

    private static List<Payment> payments(List<ConsumerRecord<String, String>> records) {
        return records.stream().map(PaymentConsumer::payment).toList();
    }

    /** Parses a message. The inbox never passes on a message without an identity; it becomes a dead letter. */
    public static Payment payment(ConsumerRecord<String, String> message) {
        Header id = message.headers().lastHeader(Payment.ID_HEADER);
        return Payment.of(id == null ? "" : new String(id.value(), UTF_8), message.value());
    }
}
