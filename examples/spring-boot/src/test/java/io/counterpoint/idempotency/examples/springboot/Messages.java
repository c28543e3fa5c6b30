package io.counterpoint.idempotency.examples.springboot;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyListener;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.springframework.context.annotation.Profile;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.stereotype.Component;

/** Sends messages, and waits until the library's events show that they were handled. */
@Component
@Profile("kafka")
class Messages implements IdempotencyListener {

    private final KafkaTemplate<String, String> broker;
    private final Semaphore succeeded = new Semaphore(0);
    private final Semaphore replayed = new Semaphore(0);

    Messages(KafkaTemplate<String, String> broker) {
        this.broker = broker;
    }

    void send(String message) throws Exception {
        assertThat(broker.send("joined", message).get(120, TimeUnit.SECONDS)).isNotNull();
    }

    @Override
    public void onEvent(IdempotencyEvent event) {
        if (event.key().operation().equals("join-group")) {
            if (event instanceof IdempotencyEvent.Succeeded) {
                succeeded.release();
            } else if (event instanceof IdempotencyEvent.Replayed) {
                replayed.release();
            }
        }
    }

    void awaitSucceeded() throws InterruptedException {
        assertThat(succeeded.tryAcquire(120, TimeUnit.SECONDS))
                .as("a message has had its effect")
                .isTrue();
    }

    void awaitReplayed() throws InterruptedException {
        assertThat(replayed.tryAcquire(120, TimeUnit.SECONDS))
                .as("a copy was recognised")
                .isTrue();
    }
}
