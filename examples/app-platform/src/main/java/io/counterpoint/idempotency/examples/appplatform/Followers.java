package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.invalidation.CacheInvalidator;
import io.counterpoint.idempotency.consistency.outbox.EventConsumer;
import io.counterpoint.idempotency.consistency.outbox.Outbox;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher.Round;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** What follows events: search and cache. Each has a publisher; search has two, since an event goes to every node. */
final class Followers implements AutoCloseable {

    private final Transactions transactions;
    private final Outbox outbox;
    private final Consumer<String> log;
    private final Lag searchLag;
    private final Lag cacheLag = new Lag(ShownApps.BOUND);
    private final List<OutboxPublisher> publishers;

    Followers(
            Transactions transactions,
            Outbox outbox,
            CacheInvalidator caches,
            SearchNode search,
            Consumer<String> log) {
        this.transactions = transactions;
        this.outbox = outbox;
        this.log = log;
        this.searchLag = search.lag();
        publishers = List.of(
                publisher(Events.CACHE, cacheLag::seen, caches),
                publisher(Events.SEARCH, (events, lag) -> {}, search::fanOut),
                publisher(search.topic(), (events, lag) -> {}, search::accept));
    }

    private OutboxPublisher publisher(String topic, BiConsumer<Long, Duration> lag, EventConsumer consumer) {
        return OutboxPublisher.of(transactions, outbox, topic, consumer)
                .batch(100)
                .poll(Duration.ofMillis(100))
                .listener(new OutboxPublisher.Listener() {
                    @Override
                    public void published(String published, Round round) {
                        if (!round.isEmpty()) {
                            lag.accept((long) round.published(), round.lag());
                        }
                    }

                    @Override
                    public void refused(OutboxEvent event, int attempt, Throwable thrown) {
                        log.accept(event + " was refused, attempt " + attempt + ": " + thrown);
                    }

                    @Override
                    public void failed(String failed, Throwable thrown) {
                        log.accept("outbox topic " + failed + ": " + thrown);
                    }
                })
                .build();
    }

    void start() {
        publishers.forEach(OutboxPublisher::start);
    }

    /** In the order of their bounds. */
    List<Lag> lags() {
        return List.of(searchLag, cacheLag);
    }

    @Override
    public void close() {
        publishers.forEach(OutboxPublisher::close);
    }
}
