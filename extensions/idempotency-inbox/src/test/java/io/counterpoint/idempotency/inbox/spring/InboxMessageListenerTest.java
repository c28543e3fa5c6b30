package io.counterpoint.idempotency.inbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.inbox.DeadLetter;
import io.counterpoint.idempotency.inbox.DeadLetters;
import io.counterpoint.idempotency.inbox.Identity;
import io.counterpoint.idempotency.inbox.Inbox;
import io.counterpoint.idempotency.inbox.MessageFormat;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.support.Acknowledgment;

class InboxMessageListenerTest {

    private static final Duration PAUSE = Duration.ofMillis(5);

    private final List<String> calls = new ArrayList<>();

    private final Acknowledgment container = new Acknowledgment() {
        @Override
        public void acknowledge() {
            calls.add("acknowledged");
        }

        @Override
        public void nack(int index, Duration sleep) {
            calls.add("again from " + index + " after " + sleep);
        }
    };

    private static final MessageFormat<ConsumerRecord<String, String>> FORMAT = new MessageFormat<>() {
        @Override
        public String origin(ConsumerRecord<String, String> message) {
            return "orders/" + message.offset();
        }

        @Override
        public Object orderKey(ConsumerRecord<String, String> message) {
            return message.partition();
        }

        @Override
        public byte[] content(ConsumerRecord<String, String> message) {
            return new byte[0];
        }
    };

    private InboxMessageListener<String, String> listener(String passing) {
        Identity<ConsumerRecord<String, String>> identity = message -> Optional.of(message.value());
        return new InboxMessageListener<>(
                Inbox.builder(new InMemoryIdempotencyStore(), "orders", FORMAT)
                        .identity(identity)
                        .deadLetters((handle, letter) -> {})
                        .retryOn(thrown -> thrown instanceof IllegalStateException)
                        .build((handle, message) -> {
                            if (message.value().equals(passing)) {
                                throw new IllegalStateException("later");
                            }
                        }),
                PAUSE);
    }

    private static List<ConsumerRecord<String, String>> records(String... values) {
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        for (String value : values) {
            records.add(new ConsumerRecord<>("orders", 0, records.size(), "key", value));
        }
        return records;
    }

    @Test
    void pollIsAcknowledgedWhenAllOfItMayBe() {
        listener("none").onMessage(records("a", "b", "a"), container);
        assertThat(calls).containsExactly("acknowledged");
    }

    /** Spring asks it before its containers start. */
    @Test
    void applicationWhoseDeadLettersHaveNoPlaceDoesNotStart() {
        DeadLetters<Transaction> missing = new DeadLetters<>() {
            @Override
            public void store(Transaction handle, DeadLetter letter) {
                check(handle);
            }

            @Override
            public void check(Transaction handle) {
                throw new IllegalStateException("no table");
            }
        };
        var inbox = Inbox.builder(new InMemoryIdempotencyStore(), "orders", FORMAT)
                .identity(message -> Optional.of(message.value()))
                .deadLetters(missing)
                .build((handle, message) -> {});

        assertThatThrownBy(() -> new InboxMessageListener<>(inbox, PAUSE).afterSingletonsInstantiated())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("Inbox orders", "no table");
    }

    @Test
    void pollComesAgainFromThePostponedMessage() {
        listener("c").onMessage(records("a", "b", "c", "d"), container);
        assertThat(calls).containsExactly("again from 2 after PT0.005S");
    }

    /** After an exception of the listener the container would give up the poll. */
    @Test
    void pollComesAgainThoughTheInboxThrows() {
        List<ConsumerRecord<String, String>> broken = new AbstractList<>() {
            @Override
            public ConsumerRecord<String, String> get(int index) {
                throw new StackOverflowError("no room to begin");
            }

            @Override
            public int size() {
                return 2;
            }
        };
        listener("none").onMessage(broken, container);
        assertThat(calls).containsExactly("again from 0 after PT0.005S");
    }

    @Test
    void containerThatAcknowledgesByItselfIsRefused() {
        assertThatThrownBy(() -> listener("none").onMessage(records("a"), (Acknowledgment) null))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("AckMode.MANUAL");
    }
}
