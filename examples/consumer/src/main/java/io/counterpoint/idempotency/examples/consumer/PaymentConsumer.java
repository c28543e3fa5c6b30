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

/** The wiring: messages of a topic, an inbox in the database of the payments, and the loop between them. */
public final class PaymentConsumer {

    private PaymentConsumer() {}

    /**
     * A consumer that books each payment once.
     *
     * @param store the inbox's memory, in the database of the payments
     * @param configuration of Kafka's consumer
     * @param topic where payments come from
     * @param batch how many payments commit together
     * @param listener gets what happens
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

    /** Reads a message. One without identity never comes here from an inbox. */
    public static Payment payment(ConsumerRecord<String, String> message) {
        Header id = message.headers().lastHeader(Payment.ID_HEADER);
        return Payment.of(id == null ? "" : new String(id.value(), UTF_8), message.value());
    }
}
