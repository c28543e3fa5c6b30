package io.counterpoint.idempotency.inbox.kafka;

import io.counterpoint.idempotency.inbox.Inbox;
import io.counterpoint.idempotency.internal.Backoff;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads topics for an inbox in its own thread. Several instances, in any number of processes, share the partitions of a
 * consumer group. Thread-safe.
 *
 * <p>The offset of a message is committed to the broker after the message's transaction has committed. The loop polls
 * again only after it has handled the previous poll, so it never holds more than one. A postponed message pauses its
 * partition, and the loop continues to poll, so that the group does not revoke its partitions.
 *
 * <p>Not promised: that only one consumer handles a message. A consumer that lost its partitions may still be at work.
 * The inbox, not the broker, then ensures that only one of them takes effect.
 *
 * @param <K> the records' keys
 * @param <V> the records' values
 */
@SuppressWarnings("exports")
public final class KafkaInbox<K, V> implements AutoCloseable {

    private final Inbox<?, ConsumerRecord<K, V>> inbox;
    private final Map<String, Object> configuration;
    private final Set<String> topics;
    private final Optional<Duration> redelivery;
    private final int batch;
    private final Backoff backoff;
    private final CountDownLatch closing = new CountDownLatch(1);
    private @Nullable Thread thread;

    private KafkaInbox(Builder<K, V> builder) {
        this.inbox = builder.inbox;
        this.configuration = builder.configuration();
        this.topics = builder.topics;
        this.redelivery = builder.redelivery;
        this.batch = builder.batch;
        this.backoff = builder.backoff;
    }

    /**
     * Returns a builder.
     *
     * @param <K> the records' keys
     * @param <V> the records' values
     * @param inbox handles the messages
     * @param topics the names of the topics
     * @param configuration the configuration of Kafka's consumer, with its deserializers and {@code group.id}. Unless
     *     set, {@code auto.offset.reset} is {@code earliest}: with Kafka's own default, a new group skips existing
     *     messages
     * @return a new builder
     * @throws IllegalArgumentException if {@code enable.auto.commit} is on, because automatic commits acknowledge
     *     messages before their transaction has committed, or {@code group.id} is missing
     */
    public static <K, V> Builder<K, V> builder(
            Inbox<?, ConsumerRecord<K, V>> inbox, Set<String> topics, Map<String, Object> configuration) {
        return new Builder<>(inbox, topics, configuration);
    }

    /**
     * Checks the inbox's tables, compares its retention with that of the brokers, then reads until {@link #close}.
     *
     * @return this
     * @throws IllegalStateException if a table is unfit, as in {@link Inbox#checkTables}; if the inbox may forget a
     *     message that the broker may still deliver; or if it was already started or closed
     * @throws org.apache.kafka.common.KafkaException if the broker cannot be queried
     */
    public synchronized KafkaInbox<K, V> start() {
        if (thread != null || isClosing()) {
            throw new IllegalStateException(this + ": it can be started only once, and not after it was closed.");
        }
        requireLongerRetention();
        Inbox<?, ConsumerRecord<K, V>> unused = inbox.checkTables();
        Thread started = new Thread(this::run, "inbox-" + inbox.name());
        started.setDaemon(true);
        started.start();
        thread = started;
        return this;
    }

    private void requireLongerRetention() {
        Optional<Duration> window = redelivery;
        if (window.isEmpty()) {
            try (Admin admin = Admin.create(configuration)) {
                window = RedeliveryWindow.of(admin, topics);
            }
        }
        if (window.isEmpty()) {
            throw new IllegalStateException(
                    this + ": the topics keep messages without limit, but the inbox remembers them for "
                            + inbox.retention() + " only. Declare with redeliveredWithin how old a message can be"
                            + " when an offset is reset.");
        }
        if (inbox.retention().compareTo(window.get()) < 0) {
            throw new IllegalStateException(this + ": a message can be redelivered within " + window.get() + ", but"
                    + " the inbox remembers it for " + inbox.retention() + " only. Lengthen the inbox's retention, or"
                    + " declare with redeliveredWithin how old a message can be when an offset is reset.");
        }
    }

    /** Reads until it is closed. After a fault that ends a consumer, creates a new one. */
    private void run() {
        for (int faults = 0; !isClosing(); ) {
            try (Consumer<K, V> consumer = new KafkaConsumer<>(configuration)) {
                KafkaLoop<K, V> loop = new KafkaLoop<>(inbox, consumer, batch, backoff);
                loop.subscribe(topics);
                while (!isClosing()) {
                    loop.pollOnce(this::isClosing);
                    faults = 0;
                }
            } catch (Throwable thrown) {
                // Catches everything, including checked exceptions of other languages: messages that wait for this
                // thread must not wait forever.
                faults++;
                inbox.listener().brokerFault(inbox.name(), thrown);
                awaitClosing(backoff.pause(faults));
            }
        }
    }

    private void awaitClosing(Duration pause) {
        try {
            boolean unused = closing.await(pause.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            closing.countDown();
        }
    }

    private boolean isClosing() {
        return closing.getCount() == 0 || Thread.currentThread().isInterrupted();
    }

    /**
     * Stops gracefully and waits for completion: the current batch is finished and its offset committed, the rest of
     * the poll is left to the next consumer, and the group learns immediately that this one is gone.
     */
    @Override
    public void close() {
        closing.countDown();
        Thread running;
        synchronized (this) {
            running = thread;
        }
        if (running != null && running != Thread.currentThread()) {
            try {
                running.join();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public String toString() {
        return "KafkaInbox[" + inbox.name() + ", topics " + topics + "]";
    }

    /**
     * Sets options that are rarely needed.
     *
     * @param <K> the records' keys
     * @param <V> the records' values
     */
    public static final class Builder<K, V> {
        private final Inbox<?, ConsumerRecord<K, V>> inbox;
        private final Set<String> topics;
        private final Map<String, Object> given;
        private Optional<Duration> redelivery = Optional.empty();
        private int batch = 500;
        private Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(30));

        private Builder(Inbox<?, ConsumerRecord<K, V>> inbox, Set<String> topics, Map<String, Object> configuration) {
            Object autoCommit = configuration.get(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG);
            if (autoCommit != null && Boolean.parseBoolean(autoCommit.toString())) {
                throw new IllegalArgumentException(
                        "Inbox " + inbox.name() + ": " + ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG + " is on, which"
                                + " would acknowledge messages before their transaction has committed. Remove it.");
            }
            if (!configuration.containsKey(ConsumerConfig.GROUP_ID_CONFIG)) {
                throw new IllegalArgumentException("Inbox " + inbox.name() + ": the configuration has no "
                        + ConsumerConfig.GROUP_ID_CONFIG + ". Set it.");
            }
            this.inbox = inbox;
            this.topics = Set.copyOf(topics);
            this.given = Map.copyOf(configuration);
        }

        /**
         * Declares the maximum age of a message when it is redelivered. Default: how long the topics keep messages,
         * which is queried from the broker at startup. Use this for topics that keep messages longer, if nobody ever
         * resets an offset further back than this.
         *
         * @param age the maximum age
         * @return this
         */
        public Builder<K, V> redeliveredWithin(Duration age) {
            this.redelivery = Optional.of(age);
            return this;
        }

        /**
         * Sets how many messages of a partition are handled between two commits of its offset. Default: 500. A poll
         * returns at most {@code max.poll.records} messages, 500 by default.
         *
         * @param messages at least 1
         * @return this
         * @throws IllegalArgumentException if less than 1
         */
        public Builder<K, V> batch(int messages) {
            if (messages < 1) {
                throw new IllegalArgumentException("A batch must contain at least 1 message, found " + messages + ".");
            }
            this.batch = messages;
            return this;
        }

        /**
         * Sets the pauses of a partition whose next message is postponed; they double from the first to the maximum.
         * Default: 100 ms to 30 s.
         *
         * @param first the first pause
         * @param longest the maximum pause
         * @return this
         */
        public Builder<K, V> retryAfter(Duration first, Duration longest) {
            this.backoff = new Backoff(first, longest);
            return this;
        }

        /**
         * Builds the consumer.
         *
         * @return the consumer, which does nothing before {@link KafkaInbox#start}
         */
        public KafkaInbox<K, V> build() {
            return new KafkaInbox<>(this);
        }

        private Map<String, Object> configuration() {
            Map<String, Object> all = new HashMap<>(given);
            all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
            all.putIfAbsent(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
            return Map.copyOf(all);
        }
    }
}
