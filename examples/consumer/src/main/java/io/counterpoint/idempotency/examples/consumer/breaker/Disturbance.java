package io.counterpoint.idempotency.examples.consumer.breaker;

import io.counterpoint.idempotency.inbox.InboxListener.Counts;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.ProgressLines;
import io.counterpoint.idempotency.testing.kafka.KafkaServer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Has all messages consumed while consumers and the broker are killed, at moments determined by the seed. */
final class Disturbance {

    private static final long LOOK_MILLIS = 200;

    private final ConsumerBreakerOptions options;
    private final String url;
    private final KafkaServer broker;
    private final Admin admin;
    private final ProgressLines progress;
    private final Random random;
    private final Deque<Long> consumerKills;
    private final Deque<Long> brokerKills;
    private long handled;
    private long duplicates;
    private long postponed;

    Disturbance(ConsumerBreakerOptions options, String url, KafkaServer broker, Admin admin, ProgressLines progress) {
        this.options = options;
        this.url = url;
        this.broker = broker;
        this.admin = admin;
        this.progress = progress;
        this.random = new Random(options.seed);
        this.consumerKills = moments(options.consumerKills);
        this.brokerKills = moments(options.brokerKills);
    }

    /** What happened, and how long it took from the first batch to the last. */
    record Result(int consumerKills, int brokerKills, long handled, long duplicates, long postponed, long millis) {}

    /**
     * The numbers of handled messages at which to kill. The first half of the run is divided into equal parts, with one
     * moment in each. Batches that a killed consumer did not report are not counted, so the last moments may never be
     * reached.
     */
    private Deque<Long> moments(int kills) {
        long all = (long) options.messages * options.copies / 2;
        return LongStream.range(0, kills)
                .map(kill -> all * kill / kills + random.nextLong(1, Math.max(2, all / kills)))
                .boxed()
                .collect(Collectors.toCollection(ArrayDeque::new));
    }

    Result run() throws CannotRun, InterruptedException {
        CompletableFuture<Void> sending =
                CompletableFuture.runAsync(() -> new Sender(options).run(broker.bootstrapServers()));
        try (ConsumerProcesses consumers = new ConsumerProcesses(options, url, broker.bootstrapServers())) {
            long start = 0;
            long last = 0;
            while (true) {
                progress.say(this::text);
                Counts counts = consumers.next(LOOK_MILLIS);
                if (counts != null) {
                    last = System.nanoTime();
                    start = start == 0 ? last : start;
                    count(counts);
                    disturb(consumers);
                } else if (sending.isDone() && isAllCommitted()) {
                    sending.join();
                    return new Result(
                            options.consumerKills - consumerKills.size(),
                            options.brokerKills - brokerKills.size(),
                            handled,
                            duplicates,
                            postponed,
                            (last - start) / 1_000_000);
                }
            }
        }
    }

    private String text() {
        return "%,d of %,d messages handled, %d consumers and %d brokers killed"
                .formatted(
                        handled,
                        (long) options.messages * options.copies,
                        options.consumerKills - consumerKills.size(),
                        options.brokerKills - brokerKills.size());
    }

    private void count(Counts counts) {
        handled += counts.processed() + counts.duplicates() + counts.deadLetters();
        duplicates += counts.duplicates();
        postponed += counts.postponed();
    }

    private void disturb(ConsumerProcesses consumers) throws CannotRun, InterruptedException {
        if (!consumerKills.isEmpty() && handled >= consumerKills.peek()) {
            consumerKills.remove();
            consumers.kill(random.nextInt(options.consumers));
        }
        if (!brokerKills.isEmpty() && handled >= brokerKills.peek()) {
            brokerKills.remove();
            CompletableFuture<Void> restarted = CompletableFuture.runAsync(() -> {
                broker.kill();
                broker.restart();
            });
            while (!restarted.isDone()) {
                progress.say(() -> "the broker was killed, and starts again");
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            }
            restarted.join();
        }
    }

    /** Whether the consumer group has committed every offset in the log. */
    private boolean isAllCommitted() throws InterruptedException {
        try {
            var committed = admin.listConsumerGroupOffsets(Consumers.GROUP)
                    .partitionsToOffsetAndMetadata()
                    .get();
            var ends = admin.listOffsets(IntStream.range(0, Consumers.PARTITIONS)
                            .mapToObj(partition -> new TopicPartition(Consumers.TOPIC, partition))
                            .collect(Collectors.toMap(partition -> partition, partition -> OffsetSpec.latest())))
                    .all()
                    .get();
            return ends.entrySet().stream().allMatch(end -> {
                OffsetAndMetadata offset = committed.get(end.getKey());
                return end.getValue().offset() == 0
                        || (offset != null && offset.offset() >= end.getValue().offset());
            });
        } catch (ExecutionException brokerIsDown) {
            return false;
        }
    }
}
