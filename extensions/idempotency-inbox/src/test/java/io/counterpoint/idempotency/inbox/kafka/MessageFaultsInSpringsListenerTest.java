package io.counterpoint.idempotency.inbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.inbox.Inbox;
import io.counterpoint.idempotency.inbox.Receipt.Fate;
import io.counterpoint.idempotency.inbox.spring.InboxMessageListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Tag;
import org.springframework.kafka.support.Acknowledgment;

/** A bad message in a poll of Spring's container, which gives a poll up when its listener throws. */
@Tag("thorough")
class MessageFaultsInSpringsListenerTest extends MessageFaultsContract {

    @Override
    void deliver(
            Inbox<Handle, ConsumerRecord<String, String>> inbox,
            List<ConsumerRecord<String, String>> poll,
            Case expected) {
        List<String> calls = new ArrayList<>();
        new InboxMessageListener<>(inbox, Duration.ofMillis(5)).onMessage(poll, new Acknowledgment() {
            @Override
            public void acknowledge() {
                calls.add("acknowledged");
            }

            @Override
            public void nack(int index, Duration sleep) {
                calls.add("again from " + index);
            }
        });
        int postponed = expected.fates(true).indexOf(Fate.POSTPONED);
        assertThat(calls).containsExactly(postponed < 0 ? "acknowledged" : "again from " + postponed);
    }
}
