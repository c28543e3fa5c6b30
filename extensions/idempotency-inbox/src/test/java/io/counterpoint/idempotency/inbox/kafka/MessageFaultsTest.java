package io.counterpoint.idempotency.inbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.inbox.Inbox;
import io.counterpoint.idempotency.inbox.Receipt;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Tag;

/** A bad message in a loop of the application's own. */
@Tag("thorough")
class MessageFaultsTest extends MessageFaultsContract {

    @Override
    void deliver(
            Inbox<Handle, ConsumerRecord<String, String>> inbox,
            List<ConsumerRecord<String, String>> poll,
            Case expected) {
        assertThat(inbox.process(poll).stream().map(Receipt::fate)).containsExactlyElementsOf(expected.fates(true));
    }
}
