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
 * How an inbox reads Kafka's records. The order key is the partition. The origin of a record is its topic with the
 * topic's identifier, its partition and its offset.
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
     * For records with values of any type.
     *
     * @param <K> the records' keys
     * @param <V> the records' values
     * @param topics the identifiers of the topics
     * @param bytes returns the content of a value, the same for equal values; not called for records without a value
     * @return the format
     */
    public static <K, V> KafkaMessages<K, V> of(TopicIds topics, Function<? super V, byte[]> bytes) {
        return new KafkaMessages<>(topics, bytes);
    }

    /**
     * Records with text. Kafka's own deserializer replaces invalid UTF-8, so two different records may have the same
     * text. If producers may send invalid UTF-8, read bytes.
     *
     * @param <K> the records' keys
     * @param topics the identifiers of the topics
     * @return the format
     */
    public static <K> KafkaMessages<K, String> ofText(TopicIds topics) {
        return of(topics, Characters::utf8);
    }

    /**
     * Records with bytes.
     *
     * @param <K> the records' keys
     * @param topics the identifiers of the topics
     * @return the format
     */
    public static <K> KafkaMessages<K, byte[]> ofBytes(TopicIds topics) {
        return of(topics, value -> value);
    }

    /**
     * Returns the identity from a header that the producer has set, as UTF-8. If there are several headers with that
     * name, the last one counts. A header that is not valid UTF-8 cannot be read, and its message becomes a dead
     * letter.
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
     * Returns the identity of a CloudEvent in Kafka's binary mode: the headers {@code ce_source} and {@code ce_id}, as
     * UTF-8. In structured mode, both are members of the value: use {@link #field} with {@link Identity#ofCloudEvent}.
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
     * Returns the identity from a field of the value that the producer has set.
     *
     * @param field reads it; not called for records without a value
     * @return the identity
     */
    public Identity<ConsumerRecord<K, V>> field(Function<? super V, Optional<String>> field) {
        return message -> message.value() == null ? Optional.empty() : field.apply(message.value());
    }

    /**
     * Returns a different identity for each position in the log. <strong>This does not identify a message:</strong> one
     * that a producer sends twice has two positions and two effects. Use it only for producers that set no identity and
     * never send a message twice.
     *
     * @return topic's identifier, partition and offset
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
