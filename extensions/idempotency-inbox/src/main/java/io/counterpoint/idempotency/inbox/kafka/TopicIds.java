package io.counterpoint.idempotency.inbox.kafka;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;

/**
 * The identifiers of topics. A topic that is deleted and recreated under the same name has a different identifier, and
 * its offsets restart at zero: without the identifier, two messages would have the same name. Restart the consumers
 * after such a change. Immutable.
 */
@SuppressWarnings("exports")
public final class TopicIds {

    private final Map<String, String> ids;

    TopicIds(Map<String, String> ids) {
        this.ids = ids;
    }

    /**
     * Queries the broker.
     *
     * @param admin a client
     * @param topics the names of topics
     * @return their identifiers
     * @throws KafkaException if the broker does not respond or a topic is missing
     */
    public static TopicIds of(Admin admin, Collection<String> topics) {
        try {
            return new TopicIds(admin.describeTopics(topics).allTopicNames().get().entrySet().stream()
                    .collect(Collectors.toUnmodifiableMap(
                            Map.Entry::getKey,
                            topic -> topic.getValue().topicId().toString())));
        } catch (ExecutionException e) {
            throw new KafkaException("Cannot read the identifiers of the topics " + topics + ".", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaException("Interrupted while reading the identifiers of the topics " + topics + ".", e);
        }
    }

    /**
     * Returns the identifier of a topic.
     *
     * @param topic its name
     * @return the identifier
     * @throws IllegalArgumentException if it was not queried
     */
    public String of(String topic) {
        String id = ids.get(topic);
        if (id == null) {
            throw new IllegalArgumentException(
                    "The identifier of topic " + topic + " is unknown; known are those of " + ids.keySet() + ".");
        }
        return id;
    }
}
