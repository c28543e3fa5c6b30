package io.counterpoint.idempotency.examples.consumer.breaker;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.examples.consumer.Payment;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** Sends each payment several times, with later copies at some distance behind the first. */
final class Sender {

    /** Far enough for an account to have had a few newer payments by the time a copy arrives. */
    private static final int FARTHEST = 5_000;

    private static final int ACCOUNTS = 1_000;
    private static final int MINUTES = 30;

    private final ConsumerBreakerOptions options;
    private final AtomicReference<@Nullable Exception> refused = new AtomicReference<>();

    Sender(ConsumerBreakerOptions options) {
        this.options = options;
    }

    /** A copy to send once this many payments have been sent. */
    private record Copy(long due, int number) {}

    /** Sends all messages. If the broker is killed meanwhile, waits for it to come back. */
    void run(String bootstrapServers) {
        Random random = new Random(options.seed);
        PriorityQueue<Copy> copies = new PriorityQueue<>((one, other) -> Long.compare(one.due(), other.due()));
        try (Producer<String, String> producer = new KafkaProducer<>(Map.of(
                "bootstrap.servers",
                bootstrapServers,
                "key.serializer",
                StringSerializer.class,
                "value.serializer",
                StringSerializer.class,
                "delivery.timeout.ms",
                MINUTES * 60_000,
                "max.block.ms",
                MINUTES * 60_000,
                "request.timeout.ms",
                5_000,
                "linger.ms",
                5))) {
            for (int number = 0; number < options.messages; number++) {
                send(producer, payment(number));
                for (int copy = 1; copy < options.copies; copy++) {
                    copies.add(new Copy(number + 1L + random.nextInt(FARTHEST), number));
                }
                while (!copies.isEmpty() && copies.peek().due() <= number) {
                    send(producer, payment(copies.remove().number()));
                }
            }
            while (!copies.isEmpty()) {
                send(producer, payment(copies.remove().number()));
            }
        }
        Exception failure = refused.get();
        if (failure != null) {
            throw new IllegalStateException("The broker has refused a payment: " + failure.getMessage(), failure);
        }
    }

    private Payment payment(int number) {
        String account = "account-" + Math.floorMod(number * 31L + options.seed, ACCOUNTS);
        return new Payment("payment-" + number, account, number, options.isPoison(number) ? 0 : 1 + number % 100);
    }

    private void send(Producer<String, String> producer, Payment payment) {
        ProducerRecord<String, String> message =
                new ProducerRecord<>(Consumers.TOPIC, payment.account(), payment.text());
        message.headers().add(Payment.ID_HEADER, payment.id().getBytes(UTF_8));
        Future<RecordMetadata> unused = producer.send(message, (sent, failure) -> {
            if (failure != null) {
                refused.compareAndSet(null, failure);
            }
        });
    }
}
