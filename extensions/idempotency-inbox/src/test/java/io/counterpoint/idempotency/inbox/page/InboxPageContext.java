package io.counterpoint.idempotency.inbox.page;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.BatchItem;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.inbox.Inbox;
import io.counterpoint.idempotency.inbox.kafka.KafkaMessages;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jdbi.v3.core.Handle;
import software.amazon.awssdk.services.sqs.SqsClient;

/** What the snippets of the page take for granted. */
public abstract class InboxPageContext {

    protected Admin admin;
    protected IdempotencyStore<Handle> store;
    protected Map<String, Object> configuration;
    protected Inbox<Handle, ConsumerRecord<String, String>> payments;
    protected KafkaMessages<String, Event> events;
    protected List<Delivery> deliveries;
    protected Channel channel;
    protected MessageConsumer consumer;
    protected Session session;
    protected SqsClient sqs;
    protected String queue;
    protected Idempotency<Handle> idempotency;
    protected Operation<Handle, Long> debit;
    protected List<Attempt> attempts;
    protected List<Line> lines;
    protected String messageId;
    protected String body;

    protected abstract void book(Handle handle, String text);

    protected abstract List<Long> debitAll(Handle handle, List<BatchItem> leading);

    protected abstract List<Long> bookAll(Handle handle, List<Line> lines);

    /** A line of a file. */
    public record Line(String reference, String account, long cents) {}

    /** What the value of a record was read as. */
    public record Event(String source, String id) {}
}
