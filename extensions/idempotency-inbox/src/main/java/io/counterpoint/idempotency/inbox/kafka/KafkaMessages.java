package io.counterpoint.idempotency.inbox.kafka;

import io.counterpoint.idempotency.inbox.Identity;
import io.counterpoint.idempotency.inbox.MessageFormat;
import io.counterpoint.idempotency.spi.Characters;
import java.util.Optional;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;

/**
 * Reads Kafka records for an inbox. Messages of a partition are ordered. The origin of a record consists of its topic
 * with the topic's identifier, its partition and its offset.
 *
 * @param <K> the records' keys
 * @param <V> the records' values
 */
@SuppressWarnings("exports")
public final class KafkaMessages<K, V> implements MessageFormat<ConsumerRecord<K, V>> {

    private final TopicIds topics;
    private final Function<? super V, byte[]> bytes;

    private KafkaMessages(TopicIds topics, Function<? super V, byte[]> bytes) {
        this.topics = topics;
        this.bytes = bytes;
    }

    /**
     * Returns a format for records with values of any type.
     *
     * @param <K> the records' keys
     * @param <V> the records' values
     * @param topics the identifiers of the topics
     * @param bytes returns the content of a value, the same for equal values; not called for a record without a value
     * @return the format
     */
    public static <K, V> KafkaMessages<K, V> of(TopicIds topics, Function<? super V, byte[]> bytes) {
        return new KafkaMessages<>(topics, bytes);
    }

    /**
     * Returns a format for records with text. Kafka's own deserializer replaces invalid UTF-8, so that two different
     * records may have the same text. If producers may send invalid UTF-8, read bytes.
     *
     * @param <K> the records' keys
     * @param topics the identifiers of the topics
     * @return the format
     */
    public static <K> KafkaMessages<K, String> ofText(TopicIds topics) {
        return of(topics, Characters::utf8);
    }

    /**
     * Returns a format for records with bytes.
     *
     * @param <K> the records' keys
     * @param topics the identifiers of the topics
     * @return the format
     */
    public static <K> KafkaMessages<K, byte[]> ofBytes(TopicIds topics) {
        return of(topics, value -> value);
    }

    /**
     * Reads the identity from a header, as UTF-8. If there are several headers with that name, the last one counts. If
     * the header is not valid UTF-8, the message becomes a dead letter.
     *
     * @param name the header's name
     * @return the identity
     */
    public Identity<ConsumerRecord<K, V>> header(String name) {
        return message -> {
            Header header = message.headers().lastHeader(name);
            return header == null || header.value() == null
                    ? Optional.empty()
                    : Optional.of(Characters.ofUtf8(header.value()));
        };
    }

    /**
     * Reads the identity of a CloudEvent in Kafka's binary mode from the headers {@code ce_source} and {@code ce_id},
     * as UTF-8. In structured mode, both are members of the value: use {@link #field} with {@link
     * Identity#ofCloudEvent}.
     *
     * @return the identity; none if a header is missing or empty
     */
    public Identity<ConsumerRecord<K, V>> cloudEvent() {
        Identity<ConsumerRecord<K, V>> source = header("ce_source");
        Identity<ConsumerRecord<K, V>> id = header("ce_id");
        return message -> Identity.ofCloudEvent(
                source.of(message).orElse(null), id.of(message).orElse(null));
    }

    /**
     * Reads the identity from the value.
     *
     * @param field reads it; not called for a record without a value
     * @return the identity
     */
    public Identity<ConsumerRecord<K, V>> field(Function<? super V, Optional<String>> field) {
        return message -> message.value() == null ? Optional.empty() : field.apply(message.value());
    }

    /**
     * Uses the position in the log as the identity. <strong>This does not identify a message:</strong> a message that a
     * producer sends twice has two positions and takes effect twice. Use it only for producers that provide no identity
     * and are known never to send twice.
     *
     * @return the identity: the topic's identifier, partition and offset
     */
    public Identity<ConsumerRecord<K, V>> placeInLog() {
        return message -> Optional.of(topics.of(message.topic()) + "/" + message.partition() + "/" + message.offset());
    }

    @Override
    public String origin(ConsumerRecord<K, V> message) {
        return message.topic() + "[" + topics.of(message.topic()) + "]/" + message.partition() + "/" + message.offset();
    }

    @Override
    public Object orderKey(ConsumerRecord<K, V> message) {
        return new TopicPartition(message.topic(), message.partition());
    }

    @Override
    public byte[] content(ConsumerRecord<K, V> message) {
        return message.value() == null ? new byte[0] : bytes.apply(message.value());
    }
}
