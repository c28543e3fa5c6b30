package io.counterpoint.idempotency.inbox.kafka;

import io.counterpoint.idempotency.internal.Backoff;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Tracks partitions whose next message was postponed, each until its pause is over. The pauses of a partition double.
 */
final class PausedPartitions {

    private final Backoff backoff;
    private final Map<TopicPartition, Pause> pauses = new HashMap<>();

    /** The number of consecutive pauses, and the end of the current one by {@link System#nanoTime}. */
    private record Pause(int tries, long until, boolean over) {}

    PausedPartitions(Backoff backoff) {
        this.backoff = backoff;
    }

    /** Continues from this offset after a pause. */
    void postpone(Consumer<?, ?> consumer, TopicPartition partition, long offset) {
        Pause earlier = pauses.get(partition);
        int tries = earlier == null ? 1 : earlier.tries() + 1;
        pauses.put(
                partition,
                new Pause(tries, System.nanoTime() + backoff.pause(tries).toNanos(), false));
        consumer.seek(partition, offset);
        consumer.pause(List.of(partition));
    }

    void resumeDue(Consumer<?, ?> consumer) {
        long now = System.nanoTime();
        for (Map.Entry<TopicPartition, Pause> entry : pauses.entrySet()) {
            Pause pause = entry.getValue();
            if (!pause.over() && now - pause.until() >= 0) {
                entry.setValue(new Pause(pause.tries(), pause.until(), true));
                if (consumer.assignment().contains(entry.getKey())) {
                    consumer.resume(List.of(entry.getKey()));
                }
            }
        }
    }

    /** Records that a message of this partition was acknowledged. */
    void progressed(TopicPartition partition) {
        pauses.remove(partition);
    }

    void forget(Collection<TopicPartition> partitions) {
        partitions.forEach(pauses::remove);
    }
}
