package io.counterpoint.idempotency.examples.appplatform;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.invalidation.CacheInvalidator;
import io.counterpoint.idempotency.consistency.outbox.EventConsumer;
import io.counterpoint.idempotency.consistency.outbox.Outbox;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher;
import io.counterpoint.idempotency.examples.appplatform.execution.EventLog;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** The parts that follow events: search and cache. Each has its own publisher. */
final class Followers implements AutoCloseable {

    private final Transactions transactions;
    private final Outbox outbox;
    private final Consumer<String> log;
    private final List<OutboxPublisher> publishers;

    Followers(Transactions transactions, Outbox outbox, CacheInvalidator caches, Consumer<String> log) {
        this.transactions = transactions;
        this.outbox = outbox;
        this.log = log;
        publishers = List.of(
                publisher(Events.CACHE, caches),
                publisher(
                        Events.SEARCH,
                        event -> transactions.useTransaction(
                                READ_COMMITTED, handle -> SearchIndex.accept(handle, event))));
    }

    private OutboxPublisher publisher(String topic, EventConsumer consumer) {
        return OutboxPublisher.builder(transactions, outbox, topic, consumer)
                .batch(100)
                .poll(Duration.ofMillis(100))
                .listener(new EventLog(log))
                .build();
    }

    void start() {
        publishers.forEach(OutboxPublisher::start);
    }

    @Override
    public void close() {
        publishers.forEach(OutboxPublisher::close);
    }
}
