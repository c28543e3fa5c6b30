package io.counterpoint.idempotency.inbox.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.jspecify.annotations.Nullable;

/** How long a broker can redeliver a message: as long as the message is in the log. */
final class RedeliveryWindow {

    /** The maximum delay before the broker notices what it can delete and deletes it. */
    private static final Duration CLEANING = Duration.ofHours(1);

    private RedeliveryWindow() {}

    /**
     * Returns the longest window of several topics. A message leaves the log with its segment. A segment is closed
     * after {@code segment.ms} and deleted {@code retention.ms} after its most recent message.
     *
     * @return the window; empty if messages of one of them may stay forever
     */
    static Optional<Duration> of(Admin admin, Collection<String> topics) {
        Map<ConfigResource, Config> configs;
        try {
            configs = admin.describeConfigs(topics.stream()
                            .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic))
                            .toList())
                    .all()
                    .get();
        } catch (ExecutionException e) {
            throw new KafkaException("Cannot read the retention of the topics " + topics + ".", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaException("Interrupted while reading the retention of the topics " + topics + ".", e);
        }
        Duration longest = Duration.ZERO;
        for (Config config : configs.values()) {
            Optional<Duration> window = window(config);
            if (window.isEmpty()) {
                return window;
            }
            longest = longest.compareTo(window.get()) > 0 ? longest : window.get();
        }
        return Optional.of(longest);
    }

    private static Optional<Duration> window(Config config) {
        String policy = value(config.get(TopicConfig.CLEANUP_POLICY_CONFIG), "");
        long retention = Long.parseLong(value(config.get(TopicConfig.RETENTION_MS_CONFIG), "-1"));
        long segment = Long.parseLong(value(config.get(TopicConfig.SEGMENT_MS_CONFIG), "-1"));
        boolean deletes = policy.contains(TopicConfig.CLEANUP_POLICY_DELETE);
        if (!deletes
                || retention < 0
                || segment < 0
                || retention > Long.MAX_VALUE / 2
                || segment > Long.MAX_VALUE / 2) {
            return Optional.empty();
        }
        return Optional.of(Duration.ofMillis(retention).plusMillis(segment).plus(CLEANING));
    }

    private static String value(@Nullable ConfigEntry entry, String missing) {
        return entry == null || entry.value() == null ? missing : entry.value();
    }
}
