package io.counterpoint.idempotency.consistency.outbox;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import io.counterpoint.idempotency.internal.Backoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Delivers the events of one topic to a consumer at least once. Any number of publishers may run, in any number of
 * processes. Thread-safe.
 *
 * <p>It claims events in a short transaction, delivers them without holding a connection, and marks each in another
 * transaction. The claim expires, so another publisher later publishes the events of one that died. If the consumer
 * throws anything, even an {@link Error}, the event is retried after a pause that doubles; after the last attempt, it
 * is parked with the error and left to an operator: {@link Outbox#parked}. An attempt is counted and committed before
 * its event is delivered, so an event that kills its publisher is parked too, and does not cost the others in its batch
 * an attempt.
 *
 * <p>Guarantees: an event that is not parked is delivered until the consumer has processed it once. Within an order
 * key, an event is delivered only after the previous one was processed or discarded, so a parked event blocks only its
 * own key. Not guaranteed: delivery only once. A consumer that takes longer than the claim gets the event again,
 * possibly concurrently, and possibly after newer ones with its key; a consumer that remembers events ({@link
 * IdempotentConsumer}) handles that.
 */
public final class OutboxPublisher implements AutoCloseable {

    private final Transactions transactions;
    private final Outbox outbox;
    private final String topic;
    private final EventConsumer consumer;
    private final PublishingRound.Limits limits;
    private final Listener listener;
    private final PublishingThread thread;

    private OutboxPublisher(Builder builder) {
        this.transactions = builder.transactions;
        this.outbox = builder.outbox;
        this.topic = builder.topic;
        this.consumer = builder.consumer;
        this.limits = new PublishingRound.Limits(builder.batch, builder.attempts, builder.claimFor, builder.retry);
        this.listener = new IsolatedListener(builder.listeners);
        this.thread = new PublishingThread(topic, this::publishOnce, builder.poll, builder.retry, listener);
    }

    /**
     * A builder.
     *
     * @param transactions runs transactions on the outbox's database
     * @param outbox the outbox
     * @param topic whose events
     * @param consumer who takes them
     * @return a new builder
     */
    public static Builder builder(Transactions transactions, Outbox outbox, String topic, EventConsumer consumer) {
        return new Builder(transactions, outbox, topic, consumer);
    }

    /**
     * The result of one round.
     *
     * @param published events that the consumer has processed
     * @param failed events that will be redelivered
     * @param parked events that were given up
     * @param lag the longest time from an event's append to its mark in this round, by the database's clock
     */
    public record Round(int published, int failed, int parked, Duration lag) {

        static final Round NOTHING = new Round(0, 0, 0, Duration.ZERO);

        Round plus(Round other) {
            return new Round(
                    published + other.published,
                    failed + other.failed,
                    parked + other.parked,
                    lag.compareTo(other.lag) > 0 ? lag : other.lag);
        }

        /**
         * Whether there was nothing to do.
         *
         * @return true if no event was claimed
         */
        public boolean isEmpty() {
            return published + failed + parked == 0;
        }
    }

    /**
     * Claims one batch, delivers it and marks each event. After {@link #close}, it releases the events that it has not
     * delivered.
     *
     * @return what it did
     * @throws VirtualMachineError if the consumer throws one, except {@link StackOverflowError}: the attempt counts,
     *     the event is redelivered when its claim ends, and the rest of the batch is released
     */
    public Round publishOnce() {
        return new PublishingRound(transactions, outbox, topic, consumer, limits, listener, thread::isClosing).run();
    }

    /**
     * Publishes until no event is due.
     *
     * @return what it did
     */
    public Round publishAll() {
        Round all = Round.NOTHING;
        while (!thread.isClosing()) {
            Round round = publishOnce();
            if (round.isEmpty()) {
                break;
            }
            all = all.plus(round);
        }
        return all;
    }

    /**
     * Publishes on a separate thread until {@link #close}: immediately while there are events, otherwise after the poll
     * interval. Anything a round throws, even an {@link Error}, goes to {@link Listener#failed} and is followed by a
     * pause; only {@code close} or an interrupt ends the thread.
     *
     * @return this
     * @throws IllegalStateException if it was started or closed before
     */
    public OutboxPublisher start() {
        thread.start();
        return this;
    }

    /** Waits for the event being delivered, releases the others, and stops the thread. */
    @Override
    public void close() {
        thread.close();
    }

    @Override
    public String toString() {
        return "OutboxPublisher[" + topic + ", " + outbox + "]";
    }

    /**
     * Receives a publisher's notifications. Its exceptions go to the thread's uncaught exception handler and have no
     * other effect.
     */
    public interface Listener {
        /**
         * A round is over.
         *
         * @param topic the topic
         * @param round what it did
         */
        default void published(String topic, Round round) {}

        /**
         * The consumer failed.
         *
         * @param event the event
         * @param attempt the number of this attempt, from 1
         * @param thrown its exception, an {@link Error} perhaps
         */
        default void refused(OutboxEvent event, int attempt, Throwable thrown) {}

        /**
         * The outbox could not be queried, a mark was not stored, or the consumer failed with a {@link
         * VirtualMachineError}. Events that were delivered but not marked are redelivered when their claim ends.
         *
         * @param topic the topic
         * @param thrown why
         */
        default void failed(String topic, Throwable thrown) {}
    }

    /** Builds a publisher. */
    public static final class Builder {
        private final Transactions transactions;
        private final Outbox outbox;
        private final String topic;
        private final EventConsumer consumer;
        private int batch = 20;
        private int attempts = 10;
        private Duration claimFor = Duration.ofSeconds(30);
        private Duration poll = Duration.ofMillis(200);
        private Backoff retry = new Backoff(Duration.ofMillis(500), Duration.ofMinutes(1));
        private final List<Listener> listeners = new ArrayList<>();

        private Builder(Transactions transactions, Outbox outbox, String topic, EventConsumer consumer) {
            this.transactions = transactions;
            this.outbox = outbox;
            this.topic = topic;
            this.consumer = consumer;
        }

        /**
         * Sets how many events are claimed at once. Default: 20.
         *
         * @param events at least 1
         * @return this
         */
        public Builder batch(int events) {
            batch = DatabaseProduct.positive("the batch", events);
            return this;
        }

        /**
         * Sets how often an event is tried before it is parked. Default: 10.
         *
         * @param most at least 1
         * @return this
         */
        public Builder attempts(int most) {
            attempts = DatabaseProduct.positive("the number of attempts", most);
            return this;
        }

        /**
         * Sets how long a batch stays claimed; choose longer than the consumer needs for the whole batch. It is also
         * the time after which the events of a dead publisher are published. Default: 30 seconds.
         *
         * @param time the time
         * @return this
         */
        public Builder claimFor(Duration time) {
            claimFor = positive("the duration of a claim", time);
            return this;
        }

        /**
         * Sets how long {@link OutboxPublisher#start} pauses when there is nothing to do. Default: 200 ms.
         *
         * @param interval the pause
         * @return this
         */
        public Builder poll(Duration interval) {
            poll = positive("the poll interval", interval);
            return this;
        }

        /**
         * Sets the pauses after a failure; they double from the first to the longest. Default: half a second to a minute.
         *
         * @param first the first
         * @param longest the longest
         * @return this
         */
        public Builder retryAfter(Duration first, Duration longest) {
            retry = new Backoff(first, longest);
            return this;
        }

        /**
         * Adds a listener, which is called after the listeners added before it. Default: none.
         *
         * @param listener the listener
         * @return this
         */
        public Builder listener(Listener listener) {
            listeners.add(Objects.requireNonNull(listener, "listener"));
            return this;
        }

        /**
         * Builds the publisher.
         *
         * @return the publisher; it does nothing before a call that starts it or publishes
         */
        public OutboxPublisher build() {
            return new OutboxPublisher(this);
        }

        private static Duration positive(String what, Duration duration) {
            if (duration.isZero() || duration.isNegative()) {
                throw new IllegalArgumentException(what + " must be positive, found " + duration + ".");
            }
            return duration;
        }
    }
}
