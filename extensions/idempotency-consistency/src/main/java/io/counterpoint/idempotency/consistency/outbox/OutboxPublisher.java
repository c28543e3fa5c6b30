package io.counterpoint.idempotency.consistency.outbox;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.internal.Backoff;
import io.counterpoint.idempotency.consistency.internal.Database;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.jspecify.annotations.Nullable;

/**
 * Hands the events of one topic to a consumer, each at least once. Any number of publishers may run, in any number of
 * processes. Thread-safe.
 *
 * <p>It claims events in a short transaction, hands them on while it holds no connection, and marks each in another. The
 * claim ends by itself, so events of a publisher that died go out later by another. What the consumer throws is tried
 * again after a pause that doubles; after the last attempt the event is parked, with the error, and is left to an
 * operator: {@link Outbox#parked}. Attempts are counted at the claim, so an event that kills its publisher is parked too.
 *
 * <p>Promised: an event that was not parked is handed on until the consumer has taken it once; of one order key, the next
 * is handed on only when the one before it was taken (or discarded), so a parked event holds back those of its own key
 * and no others. Not promised: once. A consumer that is slower than the claim lasts sees the event again, perhaps at the
 * same time, and then after younger ones of the key; one that remembers events ({@link IdempotentConsumer}) does not mind.
 */
public final class OutboxPublisher implements AutoCloseable {

    private final Transactions transactions;
    private final Outbox outbox;
    private final String topic;
    private final EventConsumer consumer;
    private final Builder settings;
    private final CountDownLatch closing = new CountDownLatch(1);
    private @Nullable Thread thread;

    private OutboxPublisher(Builder builder) {
        this.transactions = builder.transactions;
        this.outbox = builder.outbox;
        this.topic = builder.topic;
        this.consumer = builder.consumer;
        this.settings = builder.copy();
    }

    /**
     * A builder.
     *
     * @param transactions how to reach the outbox
     * @param outbox the outbox
     * @param topic whose events
     * @param consumer who takes them
     * @return a new builder
     */
    public static Builder of(Transactions transactions, Outbox outbox, String topic, EventConsumer consumer) {
        return new Builder(transactions, outbox, topic, consumer);
    }

    /**
     * What one round did.
     *
     * @param published events that the consumer has taken
     * @param failed events that come again
     * @param parked events that were given up
     * @param lag the greatest time from an event's append to its mark in this round, in the database's time
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
     * Claims one batch, hands it on and marks it. Once {@link #close} was called it lets go of what it has not handed on.
     *
     * @return what it did
     */
    public Round publishOnce() {
        UUID claim = UUID.randomUUID();
        List<Claimed> batch =
                transactions.inTransaction(TransactionIsolationLevel.READ_COMMITTED, handle -> claim(handle, claim));
        Round round = Round.NOTHING;
        for (int i = 0; i < batch.size(); i++) {
            if (isClosing()) {
                letGo(claim);
                break;
            }
            round = round.plus(publish(batch.get(i), claim));
        }
        return round;
    }

    /**
     * Publishes until there is nothing that could go out now.
     *
     * @return what it did
     */
    public Round publishAll() {
        Round all = Round.NOTHING;
        while (!isClosing()) {
            Round round = publishOnce();
            if (round.isEmpty()) {
                break;
            }
            all = all.plus(round);
        }
        return all;
    }

    /**
     * Publishes in a thread of its own until {@link #close}: at once while there are events, else after the poll
     * interval. A fault of the database is told to the listener and waited out; an {@link Error} ends the thread.
     *
     * @return this
     * @throws IllegalStateException if it was started or closed before
     */
    public synchronized OutboxPublisher start() {
        if (thread != null || isClosing()) {
            throw new IllegalStateException("A publisher is started once, and not after it was closed.");
        }
        Thread started = new Thread(this::run, "outbox-publisher-" + topic);
        started.setDaemon(true);
        started.start();
        thread = started;
        return this;
    }

    /** Lets the event finish that is being handed on, lets go of the others, and ends the thread. */
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

    private void run() {
        for (int faults = 0; !isClosing(); ) {
            Duration pause = Duration.ZERO;
            try {
                Round round = publishOnce();
                faults = 0;
                settings.listener.published(topic, round);
                pause = round.isEmpty() ? settings.poll : Duration.ZERO;
            } catch (RuntimeException thrown) {
                faults++;
                settings.listener.failed(topic, thrown);
                pause = settings.retry.pause(faults);
            }
            awaitClosing(pause);
        }
    }

    private void awaitClosing(Duration pause) {
        try {
            if (!pause.isZero() && closing.await(pause.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException interrupted) {
            // Somebody else wants this thread to end.
            closing.countDown();
        }
    }

    private boolean isClosing() {
        return closing.getCount() == 0;
    }

    private record Claimed(long seq, OutboxEvent event, int attempts) {}

    /**
     * Only the first unpublished event of an order key can be claimed. Two claims never meet: what one has locked the
     * other skips, and what it has changed no longer fits.
     */
    private List<Claimed> claim(Handle handle, UUID claim) {
        List<Claimed> batch = handle.createQuery("""
                        SELECT seq, %2$s, attempts FROM %1$s e
                        WHERE topic = :topic AND published_at IS NULL AND parked_at IS NULL
                            AND due_at <= CURRENT_TIMESTAMP
                            AND NOT EXISTS (SELECT 1 FROM %1$s b WHERE b.topic = e.topic AND b.order_key = e.order_key
                                AND b.seq < e.seq AND b.published_at IS NULL)
                        ORDER BY seq FETCH FIRST %3$d ROWS ONLY FOR UPDATE SKIP LOCKED
                        """.formatted(outbox.table(), Outbox.COLUMNS, settings.batch))
                .bind("topic", topic)
                .map((row, context) -> new Claimed(row.getLong("seq"), Outbox.event(row), row.getInt("attempts") + 1))
                .list();
        if (!batch.isEmpty()) {
            handle.createUpdate(
                            "UPDATE %s SET claim = :claim, attempts = attempts + 1, due_at = %s WHERE seq IN (<seqs>)"
                                    .formatted(outbox.table(), Database.SECONDS_FROM_NOW))
                    .bind("claim", claim)
                    .bind("seconds", Database.seconds(settings.claimFor))
                    .bindList("seqs", batch.stream().map(Claimed::seq).toList())
                    .execute();
        }
        return batch;
    }

    private Round publish(Claimed claimed, UUID claim) {
        if (claimed.attempts() > settings.attempts) {
            return park(claimed, claim, "Its publisher died at every attempt.");
        }
        try {
            consumer.accept(claimed.event());
        } catch (Exception thrown) {
            if (thrown instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            settings.listener.refused(claimed.event(), claimed.attempts(), thrown);
            String error = String.valueOf(thrown);
            return claimed.attempts() == settings.attempts ? park(claimed, claim, error) : later(claimed, claim, error);
        }
        return markPublished(claimed, claim);
    }

    /** Another publisher may have had it since; what it marked stays. */
    private Round markPublished(Claimed claimed, UUID claim) {
        return transactions.inTransaction(TransactionIsolationLevel.READ_COMMITTED, handle -> {
            if (!change(handle, claimed, claim, "published_at = CURRENT_TIMESTAMP, claim = NULL", "", null)) {
                return new Round(1, 0, 0, Duration.ZERO);
            }
            Duration lag = handle.createQuery(
                            "SELECT EXTRACT(EPOCH FROM (published_at - appended_at)) FROM %s WHERE seq = :seq"
                                    .formatted(outbox.table()))
                    .bind("seq", claimed.seq())
                    .map((row, context) -> Outbox.notNegative(row.getBigDecimal(1)))
                    .one();
            return new Round(1, 0, 0, lag);
        });
    }

    private Round park(Claimed claimed, UUID claim, String error) {
        boolean parked = inTransaction(claimed, claim, "parked_at = CURRENT_TIMESTAMP, claim = NULL", error, null);
        return parked ? new Round(0, 0, 1, Duration.ZERO) : new Round(0, 1, 0, Duration.ZERO);
    }

    private Round later(Claimed claimed, UUID claim, String error) {
        Duration pause = settings.retry.pause(claimed.attempts());
        inTransaction(claimed, claim, "due_at = " + Database.SECONDS_FROM_NOW + ", claim = NULL", error, pause);
        return new Round(0, 1, 0, Duration.ZERO);
    }

    private boolean inTransaction(
            Claimed claimed, UUID claim, String change, String error, @Nullable Duration seconds) {
        return transactions.inTransaction(
                TransactionIsolationLevel.READ_COMMITTED,
                handle -> change(handle, claimed, claim, change, error, seconds));
    }

    private boolean change(
            Handle handle, Claimed claimed, UUID claim, String change, String error, @Nullable Duration seconds) {
        var update = handle.createUpdate("UPDATE %s SET last_error = :error, %s WHERE seq = :seq AND claim = :claim"
                        .formatted(outbox.table(), change))
                .bind("seq", claimed.seq())
                .bind("claim", claim)
                .bind("error", error.isEmpty() ? null : error.substring(0, Math.min(error.length(), 1000)));
        if (seconds != null) {
            update.bind("seconds", Database.seconds(seconds));
        }
        return update.execute() == 1;
    }

    private void letGo(UUID claim) {
        transactions.useTransaction(
                TransactionIsolationLevel.READ_COMMITTED,
                handle -> handle.createUpdate("""
                        UPDATE %s SET claim = NULL, attempts = attempts - 1, due_at = CURRENT_TIMESTAMP
                        WHERE claim = :claim
                        """.formatted(outbox.table()))
                        .bind("claim", claim)
                        .execute());
    }

    @Override
    public String toString() {
        return "OutboxPublisher[" + topic + ", " + outbox + "]";
    }

    /** Told what a publisher does. What it throws is not caught. */
    public interface Listener {
        /**
         * A round is over.
         *
         * @param topic the topic
         * @param round what it did
         */
        default void published(String topic, Round round) {}

        /**
         * The consumer threw.
         *
         * @param event the event
         * @param attempt the number of this attempt, from 1
         * @param thrown what it threw
         */
        default void refused(OutboxEvent event, int attempt, Exception thrown) {}

        /**
         * The outbox could not be asked; the publisher tries again after a pause.
         *
         * @param topic the topic
         * @param thrown why
         */
        default void failed(String topic, RuntimeException thrown) {}
    }

    /** Sets what is rarely set. */
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
        private Listener listener = new Listener() {};

        private Builder(Transactions transactions, Outbox outbox, String topic, EventConsumer consumer) {
            this.transactions = transactions;
            this.outbox = outbox;
            this.topic = topic;
            this.consumer = consumer;
        }

        private Builder copy() {
            Builder copy = new Builder(transactions, outbox, topic, consumer);
            copy.batch = batch;
            copy.attempts = attempts;
            copy.claimFor = claimFor;
            copy.poll = poll;
            copy.retry = retry;
            copy.listener = listener;
            return copy;
        }

        /**
         * Sets how many events are claimed at once. Default: 20.
         *
         * @param events at least 1
         * @return this
         */
        public Builder batch(int events) {
            batch = Database.positive("the batch", events);
            return this;
        }

        /**
         * Sets how often an event is tried before it is parked. Default: 10.
         *
         * @param most at least 1
         * @return this
         */
        public Builder attempts(int most) {
            attempts = Database.positive("the number of attempts", most);
            return this;
        }

        /**
         * Sets for how long a batch is claimed; longer than the consumer needs for all of it. It is also the time after
         * which the events of a publisher that died go out. Default: 30 seconds.
         *
         * @param time the time
         * @return this
         */
        public Builder claimFor(Duration time) {
            claimFor = positive("the time of a claim", time);
            return this;
        }

        /**
         * Sets how long {@link OutboxPublisher#start} pauses when there was nothing to do. Default: 200 ms.
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
         * Sets who is told what happens. Default: nobody.
         *
         * @param listener the listener
         * @return this
         */
        public Builder listener(Listener listener) {
            this.listener = listener;
            return this;
        }

        /**
         * Builds.
         *
         * @return the publisher; it does nothing before it is told to
         */
        public OutboxPublisher build() {
            return new OutboxPublisher(this);
        }

        private static Duration positive(String what, Duration duration) {
            if (duration.isZero() || duration.isNegative()) {
                throw new IllegalArgumentException(what + " is positive, found " + duration + ".");
            }
            return duration;
        }
    }
}
