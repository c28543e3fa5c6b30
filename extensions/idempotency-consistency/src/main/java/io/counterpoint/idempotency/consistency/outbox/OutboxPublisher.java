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
 * transaction. Claims expire, so another publisher later delivers the events of one that died. If the consumer throws,
 * even an {@link Error}, delivery is retried after a pause that doubles each time; after the last attempt, the event is
 * parked with the error and left to an operator: {@link Outbox#parked}. An attempt is counted and committed before its
 * event is delivered, so an event that kills its publisher is parked too, without costing the others in its batch an
 * attempt.
 *
 * <p>Promised: an event that is not parked is delivered until the consumer has handled it once. Within an order key, an
 * event is delivered only after the previous one was handled or discarded, so a parked event holds back only those of
 * its own key. Not promised: delivery only once. If handling takes longer than the claim lasts, the event is delivered
 * again, possibly concurrently and after newer ones of the key; a consumer that remembers events ({@link
 * IdempotentConsumer}) tolerates this.
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
     * Returns a builder.
     *
     * @param transactions runs transactions on the outbox
     * @param outbox the outbox
     * @param topic the topic
     * @param consumer handles the events
     * @return a new builder
     */
    public static Builder builder(Transactions transactions, Outbox outbox, String topic, EventConsumer consumer) {
        return new Builder(transactions, outbox, topic, consumer);
    }

    /**
     * The result of one round.
     *
     * @param published events that the consumer has handled
     * @param failed events that will be redelivered
     * @param parked events that were parked
     * @param lag the maximum time from an event's append to its mark in this round, by the database's clock
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
         * Returns whether there was nothing to do.
         *
         * @return true if no event was claimed
         */
        public boolean isEmpty() {
            return published + failed + parked == 0;
        }
    }

    /**
     * Claims one batch, delivers it and marks each event. Once {@link #close} has been called, it releases events that
     * it has not delivered.
     *
     * @return the result
     * @throws VirtualMachineError if the consumer throws one other than {@link StackOverflowError}: the attempt counts,
     *     the event is redelivered when its claim expires, and the rest of the batch is released
     */
    public Round publishOnce() {
        return new PublishingRound(transactions, outbox, topic, consumer, limits, listener, thread::isClosing).run();
    }

    /**
     * Publishes until no event is due.
     *
     * @return the result
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
     * interval. Anything that a round throws, even an {@link Error}, is passed to {@link Listener#failed} and followed
     * by a pause; the thread ends only on {@code close} or an interrupt.
     *
     * @return this
     * @throws IllegalStateException if it was already started or closed
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
         * Called after a round.
         *
         * @param topic the topic
         * @param round the result of the round
         */
        default void published(String topic, Round round) {}

        /**
         * Called when the consumer failed.
         *
         * @param event the event
         * @param attempt the number of this attempt, from 1
         * @param thrown its exception or {@link Error}
         */
        default void refused(OutboxEvent event, int attempt, Throwable thrown) {}

        /**
         * Called when the outbox could not be queried, a mark was not stored, or the consumer failed with a {@link
         * VirtualMachineError}. Events that were delivered but not marked are redelivered when their claim expires.
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
         * the time after which the events of a publisher that died are redelivered. Default: 30 seconds.
         *
         * @param time the time
         * @return this
         */
        public Builder claimFor(Duration time) {
            claimFor = positive("the duration of a claim", time);
            return this;
        }

        /**
         * Sets how long the thread of {@link OutboxPublisher#start} pauses when there is nothing to do. Default: 200
         * ms.
         *
         * @param interval the pause
         * @return this
         */
        public Builder poll(Duration interval) {
            poll = positive("the poll interval", interval);
            return this;
        }

        /**
         * Sets the pauses after a failure; they double from the first to the maximum. Default: half a second to a
         * minute.
         *
         * @param first the first pause
         * @param longest the maximum pause
         * @return this
         */
        public Builder retryAfter(Duration first, Duration longest) {
            retry = new Backoff(first, longest);
            return this;
        }

        /**
         * Adds a listener, after any listeners added earlier. Default: none.
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
         * @return the publisher, which does nothing until it is started or told to publish
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
