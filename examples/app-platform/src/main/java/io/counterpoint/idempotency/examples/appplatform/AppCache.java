package io.counterpoint.idempotency.examples.appplatform;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Apps as they were a moment ago, in every process. An event makes the cache forget what is older than its version, and a
 * refill that was read before is not stored after it. The process that gets the event tells the others by {@link
 * Invalidations}. What no event reaches is forgotten when its time is up, so the bound holds in every process. Thread-safe.
 */
final class AppCache {

    static final Bound BOUND = new Bound(
            "cache invalidation",
            "an event for each version; entries live no longer than the bound",
            "nothing: a version is forgotten once",
            Duration.ofSeconds(30));

    private static final int MOST = 10_000;

    /** What is shown of an app. */
    record App(UUID id, long workspace, String name, String status, String databaseStatus, long version) {}

    /** An app, or that everything older than a version is out of date. */
    private record Cached(@Nullable App app, long version, long readAt) {}

    private final Function<UUID, Optional<App>> source;
    private final LongSupplier nanoTime;
    private final Cache<UUID, Cached> entries;
    /** What was read no later than this counts no more, also if it is stored later. */
    private volatile long clearedAt;

    AppCache(Function<UUID, Optional<App>> source, LongSupplier nanoTime) {
        this.source = source;
        this.nanoTime = nanoTime;
        this.clearedAt = nanoTime.getAsLong() - 1;
        this.entries = Caffeine.newBuilder()
                .maximumSize(MOST)
                .expireAfterWrite(BOUND.lag())
                .ticker(nanoTime::getAsLong)
                .build();
    }

    /** An app that is at least of this version if there is one; what a session has written it reads. */
    Optional<App> get(UUID id, long atLeast) {
        long now = nanoTime.getAsLong();
        Cached entry = entries.getIfPresent(id);
        if (entry != null
                && entry.app() != null
                && entry.version() >= atLeast
                && entry.readAt() - clearedAt > 0
                && now - entry.readAt() < BOUND.lag().toNanos()) {
            return Optional.of(entry.app());
        }
        // Read at no later than this, however long it takes.
        Optional<App> read = source.apply(id);
        read.ifPresent(app -> put(id, new Cached(app, app.version(), now)));
        return read;
    }

    /** Forgets what is older. */
    void invalidate(UUID id, long version) {
        put(id, new Cached(null, version, nanoTime.getAsLong()));
    }

    void on(OutboxEvent event) {
        invalidate(UUID.fromString(event.orderKey().orElseThrow()), Long.parseLong(event.payload()));
    }

    /** Forgets all: invalidations may have been missed. */
    void clear() {
        clearedAt = nanoTime.getAsLong();
        entries.invalidateAll();
    }

    private void put(UUID id, Cached entry) {
        // An invalidation of the version that is cached changes nothing; a refill of it counts.
        var unused = entries.asMap()
                .merge(
                        id,
                        entry,
                        (there, fresh) -> fresh.version() > there.version()
                                        || (fresh.version() == there.version() && fresh.app() != null)
                                ? fresh
                                : there);
    }
}
